import { useRef, useState } from 'preact/hooks';
import type { Item } from '../../src/shared/view';
import type { InjectHow } from '../../src/shared/wire';
import { act, fail, getState, send, type SendOptions } from '../state';
import { t, words } from '../strings';
import { fromBlocks, toBlocks, type Draft } from './blocks';
import type { Box } from './box';
import { nothing, type Written } from './draft';

/** A queued prompt that is changed: its id, and what it was. */
interface Editing extends Draft {
  id: string;
}

export interface Sending {
  /** Sends what is in the box, or stores it in the queue where it came from. */
  submit(how?: InjectHow): void;
  /** Sends something that is not in the box. */
  sendDraft(draft: Partial<Draft>, options: SendOptions): void;
  /** The queued prompt that is in the box. */
  editing: Editing | undefined;
  edit(item: Item): void;
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
  const [editing, setEditing] = useState<Editing>();
  const back = useRef(() => {}); // puts what was in the box before a queued prompt into it again
  const before = useRef(Promise.resolve()); // the first prompt makes the session of those after it

  /** Ends the hold on a draft that is on its way, and says why it was not taken. */
  const ended = (sent: Promise<unknown>, release: (taken: boolean) => void): Promise<void> =>
    sent.then(
      () => release(true),
      (error: unknown) => {
        release(false);
        fail(error);
      },
    );
  const sendDraft = (part: Partial<Written>, options: SendOptions): void => {
    const draft = { ...nothing, ...part };
    const blocks = toBlocks(draft);
    if (blocks.length === 0) {
      return;
    }
    fail(undefined);
    const release = box.hold(draft);
    const ready = getState().sessionId === undefined ? before.current : Promise.resolve();
    before.current = ended(
      ready.then(() => send(blocks, options)),
      release,
    );
  };
  /** Replaces a queued prompt by what is in the box. */
  const storeEdited = ({ id }: Editing, draft: Written): void => {
    const edited = act(id, 'edit', { text: draft.text.trimEnd(), blocks: toBlocks({ ...draft, text: '' }) }).catch(() => {
      throw new Error(t(words.notQueued));
    });
    void ended(edited, box.hold(draft));
  };
  /** Reports whether a queued prompt that is in the box was changed there. */
  const isChanged = ({ text }: Editing): boolean => box.read().text !== text;
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

  const begin = (item: Editing): void => {
    if (!editing) {
      const release = box.hold(box.read());
      back.current = () => release(false);
    } else if (isChanged(editing) && toBlocks(box.read()).length > 0) {
      storeEdited(editing, box.read()); // as if it had been sent before going to the next one
    }
    setEditing(item);
    box.area.current!.focus();
    box.set({ ...nothing, text: item.text, chips: item.chips });
  };

  return {
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
      void act(item.id, 'edit').then(({ steps = [] }) => {
        const step = steps.find((step) => 'edit' in step);
        if (step) {
          begin({ id: item.id, text: step.edit, chips: fromBlocks(step.blocks ?? []).chips });
        }
      }, fail);
    },
    stopEditing: () => finishEditing(),
  };
}
