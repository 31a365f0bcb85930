import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { named } from '../../src/shared/fold';
import type { Action, Item } from '../../src/shared/view';
import { shortText, text as worded } from '../format/text';
import { keep, kept } from '../bridge';
import { withDraft } from '../questions/drafts';
import { act, isRunning, useStore } from '../state';
import { t } from '../strings';

/**
 * An earlier prompt, to be changed and sent again: here in place of it and what
 * followed, or in a copy of the conversation up to before it. What is typed stays
 * until it was sent.
 */
export function EditPrompt({ turn, onClose }: { turn: Item; onClose: () => void }) {
  const { id, actions = [] } = turn;
  const verbs = useStore(({ view }) => view.verbs);
  const ways = actions.flatMap((action) => named({ verbs }, action) ?? []).filter((action) => action.id === 'edit' || action.id === 'edit_copy');
  const [before, setBefore] = useState<string>();
  const [text, setText] = useState(() => typedBefore()[id] ?? '');
  const [error, setError] = useState('');
  const [busy, setBusy] = useState(false);
  const running = useStore(isRunning);
  const box = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    act(id, 'edit').then(
      ({ steps = [] }) => {
        const own = steps.find((step) => 'edit' in step)?.edit ?? '';
        setBefore(own);
        setText((typed) => typed || own);
      },
      (error: Error) => setError(error.message),
    );
  }, []);
  useLayoutEffect(() => { // before the box takes keys
    box.current?.focus();
    box.current?.setSelectionRange(text.length, text.length);
  }, [before]);
  const type = (text: string): void => {
    setText(text);
    keepEdited(id, text === before ? undefined : text);
  };
  const send = async (way: Action): Promise<void> => {
    setBusy(true);
    setError('');
    try {
      await act(id, way.id, { text });
      keepEdited(id, undefined);
      onClose();
    } catch (error) {
      setError((error as Error).message);
      setBusy(false);
    }
  };
  return (
    <div
      class="turn-panel edit-prompt"
      role="group"
      aria-label={t('Prompt')}
      onKeyDown={(event) => {
        if (event.key === 'Escape') {
          event.stopPropagation();
          onClose();
        }
      }}
    >
      <textarea ref={box} aria-label={t('Prompt')} value={text} readOnly={before === undefined && text === ''} rows={Math.min(12, text.split('\n').length + 1)} onInput={({ currentTarget }) => type(currentTarget.value)} />
      <div class="turn-panel-buttons">
        {ways.map((way, index) => (
          <button
            key={way.id}
            type="button"
            class={index === 0 ? 'primary-button' : 'small-button'}
            title={way.detail && worded(way.detail)}
            disabled={busy || running || text.trim() === ''}
            onClick={() => void send(way)}
          >
            {shortText(way.title)}
          </button>
        ))}
        <button type="button" class="small-button" onClick={onClose}>
          {t('Cancel')}
        </button>
      </div>
      {error !== '' && (
        <p class="problem" role="alert">
          {error}
        </p>
      )}
    </div>
  );
}

/** What was typed in place of prompts, by their turns, and not sent yet. */
function typedBefore(): Readonly<Record<string, string>> {
  return (kept().edited as Record<string, string> | undefined) ?? {};
}

/** Keeps what is typed in place of a prompt, also when the page is loaded again; undefined forgets it. */
function keepEdited(turnId: string, text: string | undefined): void {
  keep({ ...kept(), edited: withDraft(typedBefore(), turnId, text, 20) });
}
