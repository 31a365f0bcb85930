import { useEffect, useRef, useState } from 'preact/hooks';
import type { ContentBlock } from '../../src/shared/wire';
import { ask, fork, getState, isRunning, rewind, send, show, useStore } from '../state';
import type { Turn } from '../state/conversation';
import { t } from '../strings';
import { editedPrompt, keepEdited } from './edited';

interface Props {
  turn: Turn;
  blocks: readonly ContentBlock[];
  onClose: () => void;
}

/**
 * An earlier prompt, to be changed and sent again: in a copy of the conversation
 * up to before it, or here in place of it and what followed. What is typed stays
 * until it was sent.
 */
export function EditPrompt({ turn, blocks, onClose }: Props) {
  const own = (block: ContentBlock): boolean => block.type === 'text' && block._meta?.emendo?.['kind'] === undefined;
  const before = blocks.flatMap((block) => (block.type === 'text' && own(block) ? [block.text] : [])).join('\n');
  const [text, setText] = useState(() => editedPrompt(turn.id) ?? before);
  const type = (text: string): void => {
    setText(text);
    keepEdited(turn.id, text === before ? undefined : text);
  };
  const [error, setError] = useState('');
  const [busy, setBusy] = useState(false);
  const running = useStore(isRunning);
  const following = useStore((state) => state.conversation.turns.length - 1 - state.conversation.turns.findIndex(({ id }) => id === turn.id));
  const box = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    box.current?.focus();
    box.current?.setSelectionRange(text.length, text.length);
  }, []);
  const edited: ContentBlock[] = [{ type: 'text', text }, ...blocks.filter((block) => !own(block))];
  const go = async (prepare: () => Promise<void>): Promise<void> => {
    setBusy(true);
    setError('');
    try {
      await prepare();
      keepEdited(turn.id, undefined);
      onClose();
      await send(edited).catch(() => ask({ type: 'compose', text, focus: true }));
    } catch (error) {
      setError((error as Error).message);
      setBusy(false);
    }
  };
  const inCopy = async (): Promise<void> => {
    const { turns } = getState().conversation;
    const previous = turns[turns.findIndex(({ id }) => id === turn.id) - 1];
    if (previous) {
      await fork(previous.id);
    } else {
      await show();
    }
  };
  const here = async (): Promise<void> => {
    await rewind(turn.id, 'conversation');
  };
  return (
    <div
      class="turn-panel edit-prompt"
      role="group"
      aria-label={t('Edit and send again')}
      onKeyDown={(event) => {
        if (event.key === 'Escape') {
          event.stopPropagation();
          onClose();
        }
      }}
    >
      <textarea ref={box} aria-label={t('Prompt')} value={text} rows={Math.min(12, text.split('\n').length + 1)} onInput={({ currentTarget }) => type(currentTarget.value)} />
      <div class="turn-panel-buttons">
        <button type="button" class="primary-button" disabled={busy || running || text.trim() === ''} onClick={() => void go(inCopy)}>
          {t('Send in a copy')}
        </button>
        <button type="button" class="small-button" disabled={busy || running || text.trim() === ''} onClick={() => void go(here)}>
          {replaceLabel(following)}
        </button>
        <button type="button" class="small-button" onClick={onClose}>
          {t('Cancel')}
        </button>
      </div>
      <p class="dim">{running ? t('Wait until the running turn has ended, or stop it.') : t('A copy keeps this conversation as it is. Files stay as they are either way.')}</p>
      {error !== '' && (
        <p class="problem" role="alert">
          {error}
        </p>
      )}
    </div>
  );
}

/** Names what is replaced: a turn, and how many follow it. */
function replaceLabel(following: number): string {
  switch (following) {
    case 0:
      return t('Replace this turn');
    case 1:
      return t('Replace this turn and the next');
    default:
      return t('Replace this turn and the next {0}', following);
  }
}
