import { useEffect, useRef, useState } from 'preact/hooks';
import type { Item } from '../../src/shared/view';
import { text } from '../format/text';
import { getState, lastTurn, useStore } from '../state';
import { t, words } from '../strings';

/**
 * Tells screen readers that an answer is complete, and how it begins. The stream
 * itself is not read out: every chunk would interrupt the one before.
 */
export function Announcer() {
  const last = useStore(lastTurn);
  const running = useRef<string | undefined>(undefined);
  const [told, tell] = useState('');
  useEffect(() => {
    if (last?.state === 'running') {
      running.current = last.id;
    } else if (last && running.current === last.id) {
      running.current = undefined;
      tell(toTell(last));
    }
  }, [last]);
  return (
    <div class="hidden-text" role="status" aria-live="polite">
      {told}
    </div>
  );
}

/** What is read out of a turn. */
function toTell({ id, state, title }: Item): string {
  if (state !== 'done') {
    return text(title);
  }
  const { items, below } = getState().view;
  const answer = items.get(below.get(id)?.findLast((child) => items.get(child)?.kind === 'answer') ?? '');
  const beginning = (answer?.parts?.[0]?.text ?? '').replace(/[`*_#>|]/g, '').slice(0, 300);
  return t(words.complete, beginning);
}
