import type { ItemState } from '../../src/shared/view';
import { t, words } from '../strings';

/** The icon of a state, and what a screen reader says of it. */
export function stateOf(state: ItemState): { icon: string; label: string } {
  return {
    waiting: { icon: 'circle-outline', label: t('Waiting') },
    asks: { icon: 'question', label: t(words.waitsForAnswer) },
    running: { icon: 'loading', label: t('Running') },
    done: { icon: 'check', label: t('Done') },
    failed: { icon: 'error', label: t('Failed') },
    denied: { icon: 'circle-slash', label: t(words.notAllowed) },
    rejected: { icon: 'circle-slash', label: t('Rejected') },
    cancelled: { icon: 'circle-slash', label: t('Cancelled') },
    interrupted: { icon: 'circle-slash', label: t('Interrupted') },
  }[state];
}
