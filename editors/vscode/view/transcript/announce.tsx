import { useEffect, useRef, useState } from 'preact/hooks';
import { useStore } from '../state';
import type { Turn } from '../state/conversation';
import { t } from '../strings';

/**
 * Tells screen readers that an answer is complete, and how it begins. The stream
 * itself is not read out: every chunk would interrupt the one before.
 */
export function Announcer() {
  const last = useStore((state) => state.conversation.turns.at(-1));
  const running = useRef<string | undefined>(undefined);
  const [text, setText] = useState('');
  useEffect(() => {
    if (last?.state === 'running') {
      running.current = last.id;
    } else if (last && running.current === last.id) {
      running.current = undefined;
      setText(told(last));
    }
  }, [last]);
  return (
    <div class="hidden-text" role="status" aria-live="polite">
      {text}
    </div>
  );
}

/** What is read out of a turn. */
function told(turn: Turn): string {
  const answer = turn.items.findLast((item) => item.kind === 'message');
  const words = (answer?.kind === 'message' ? answer.text : '').replace(/[`*_#>|]/g, '').slice(0, 300);
  if (turn.error) {
    return t('The turn failed: {0}', turn.error.message);
  }
  return turn.end?.stopReason === 'cancelled' ? t('Cancelled.') : t('Answer complete. {0}', words);
}
