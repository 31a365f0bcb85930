import type { Verification } from '../../src/shared/wire';
import { t } from '../strings';

/** What a change set shows of its check. */
export interface Badge {
  look: 'good' | 'bad' | 'dim';
  icon: string;
  text: string;
  title: string;
}

/** The badge of a check; undefined where none was to be made. */
export function badgeOf(v: Verification | undefined): Badge | undefined {
  if (v === undefined) {
    return undefined;
  }
  switch (v.state) {
    case 'verified': {
      const resolved = v.resolved === 0 ? '' : v.resolved === 1 ? t('It resolves 1 error.') : t('It resolves {0} errors.', v.resolved);
      return { look: 'good', icon: 'verified', text: t('Verified'), title: `${t('A language server found no new errors.')} ${resolved}`.trim() };
    }
    case 'problems':
      return { look: 'bad', icon: 'warning', text: v.introduced === 1 ? t('1 new error') : t('{0} new errors', v.introduced), title: t('A language server reports errors that the text before does not have.') };
    case 'unverified':
      return v.reason === undefined ? undefined : { look: 'dim', icon: 'unverified', text: t('Not verified'), title: v.reason };
    default: // of a later server
      return undefined;
  }
}
