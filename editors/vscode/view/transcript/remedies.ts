import { t } from '../strings';

/** What the user can do about a fault: a command of the extension, under a name. */
export interface Offer {
  label: string;
  command: string;
}

/** Returns what helps against an error or a notice with this code. */
export function remedies(code: string | undefined): Offer[] {
  switch (code) {
    case 'auth_required':
      return [
        { label: t('Sign in'), command: 'emendo.signIn' },
        { label: t('Other providers'), command: 'emendo.otherProviders' },
      ];
    case 'untrusted_workspace':
      return [{ label: t('Trust this workspace'), command: 'emendo.trust' }];
    case 'rate_limited':
    case 'quota_exhausted':
    case 'unavailable':
    case 'model_fallback':
      return [{ label: t('Choose another model'), command: 'emendo.setModel' }];
    default:
      return [];
  }
}
