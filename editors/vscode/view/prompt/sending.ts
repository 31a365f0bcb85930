import { useRef, useState } from 'preact/hooks';
import { RequestError } from '../bridge';
import type { Action } from '../../src/shared/view';
import type { InjectHow, QueueItem } from '../../src/shared/wire';
import { getState, send, type SendOptions } from '../state';
import { t } from '../strings';
import { fromBlocks, toBlocks, type Draft } from './blocks';
import type { Box } from './box';
import { nothing, type Written } from './draft';
import { editQueue } from './queue';

/** Why a prompt was not taken. */
export interface Failure {
  message: string;
  code?: string;
  /** What helps. */
  actions?: readonly Action[];
}

export interface Sending {
  failure: Failure | undefined;
  fail(error: unknown): void;
  /** Sends what is in the box, or stores it in the queue where it came from. */
  submit(how?: InjectHow): void;
  /** Sends something that is not in the box. */
  sendDraft(draft: Partial<Draft>, options: SendOptions): void;
  /** The queued prompt that is in the box. */
  editing: QueueItem | undefined;
  edit(item: QueueItem): void;
  stopEditing(): void;
}

interface Around {
  box: Box;
  /** What of the context is left out. */
  leftOut: () => Pick<SendOptions, 'context' | 'exclude'>;
  /** Is told of every prompt that leaves the box. */
  onSent: (text: string) => void;
}

/** Sends prompts. What is not taken comes back into the box. */
export function useSending({ box, leftOut, onSent }: Around): Sending {
  const [failure, setFailure] = useState<Failure>();
  const [editing, setEditing] = useState<QueueItem>();
  const back = useRef(() => {}); // puts what was in the box before a queued prompt into it again
  const before = useRef(Promise.resolve()); // the first prompt makes the session of those after it

  const failed = (error: unknown): void => {
    const { code, actions } = (error instanceof RequestError && error.data) || {};
    const message = error instanceof Error ? error.message : String(error);
    setFailure({ message, ...(code !== undefined && { code }), ...(actions && { actions }) });
  };
  /** Ends the hold on a draft that is on its way, and says why it was not taken. */
  const ended = (sent: Promise<unknown>, release: (taken: boolean) => void): Promise<void> =>
    sent.then(
      () => release(true),
      (error: unknown) => {
        release(false);
        failed(error);
      },
    );
  const sendDraft = (part: Partial<Written>, options: SendOptions): void => {
    const draft = { ...nothing, ...part };
    const blocks = toBlocks(draft);
    if (blocks.length === 0) {
      return;
    }
    setFailure(undefined);
    const release = box.hold(draft);
    const ready = getState().sessionId === undefined ? before.current : Promise.resolve();
    before.current = ended(
      ready.then(() => send(blocks, options)),
      release,
    );
  };
  /** Replaces a queued prompt by what is in the box. */
  const storeEdited = ({ turnId, messageId }: QueueItem, draft: Written): void => {
    const edited = editQueue({ turnId, messageId, prompt: toBlocks(draft) }).catch(() => {
      throw new Error(t('The prompt is no longer queued, or cannot be replaced: here is your text.'));
    });
    void ended(edited, box.hold(draft));
  };
  /** Reports whether a queued prompt that is in the box was changed there. */
  const isChanged = (item: QueueItem): boolean => box.read().text !== fromBlocks(item.prompt).text;
  const finishEditing = (keep?: Written): void => {
    box.set(keep ?? nothing);
    back.current();
    setEditing(undefined);
  };
  box.leaving.current = () => {
    if (editing) {
      finishEditing(isChanged(editing) ? box.read() : undefined);
    }
  };

  return {
    failure,
    fail: (error) => (error === undefined ? setFailure(undefined) : failed(error)),
    sendDraft,
    submit(how) {
      const draft = box.read();
      if (toBlocks(draft).length === 0) {
        return;
      }
      const options = { ...leftOut(), ...(how && { how }) };
      onSent(draft.text);
      if (editing) {
        storeEdited(editing, draft);
        finishEditing();
        return;
      }
      box.set({ text: '', chips: [] });
      sendDraft(draft, options);
    },
    editing,
    edit(item) {
      if (!editing) {
        const release = box.hold(box.read());
        back.current = () => release(false);
      } else if (isChanged(editing) && toBlocks(box.read()).length > 0) {
        storeEdited(editing, box.read()); // as if it had been sent before going to the next one
      }
      setEditing(item);
      box.area.current!.focus();
      box.set({ ...nothing, ...fromBlocks(item.prompt) });
    },
    stopEditing: () => finishEditing(),
  };
}
