import { useRef, useState } from 'preact/hooks';
import { host, server } from '../bridge';
import type { Chip } from '../../src/shared/messages';
import type { CompletionItem } from '../../src/shared/wire';
import { getState } from '../state';
import type { Box } from './box';
import { merge, triggerAt, type Offer, type Trigger } from './completion';
import { normalized } from './images';

/** The popup of the prompt box. */
export interface Completion {
  /** Empty when the popup is closed. */
  offers: readonly Offer[];
  active: number;
  /** Reports whether the text is the active command already, so that Enter sends it. */
  isWhole(): boolean;
  /** Looks at the word at the cursor after the text has changed. */
  typed(): void;
  /** Closes the popup when the cursor has left the word. */
  moved(): void;
  /** Makes another offer the active one, around the ends. */
  move(by: number): void;
  choose(offer: Offer): void;
  /** Closes the popup. */
  hide(): void;
  /** Closes it for the word at the cursor: it does not open again while that is typed. */
  close(): void;
}

interface Shown {
  question: number;
  trigger: Trigger;
  offers: readonly Offer[];
  active: number;
}

export function useCompletion(box: Box): Completion {
  const [shown, setShown] = useState<Shown>();
  const asked = useRef(0); // the number of the last question: answers to older ones are late
  const dismissed = useRef<number | undefined>(undefined); // where the word begins whose popup the user closed

  const at = (): { text: string; offset: number; trigger: Trigger | undefined } => {
    const { value, selectionStart, selectionEnd } = box.area.current!;
    const trigger = selectionStart === selectionEnd ? triggerAt(value, selectionStart) : undefined;
    return { text: value, offset: selectionStart, trigger };
  };
  const hide = (): void => {
    asked.current++;
    setShown(undefined);
  };
  const typed = (): void => {
    const { text, offset, trigger } = at();
    if (trigger?.start !== dismissed.current) {
      dismissed.current = undefined;
    }
    if (!trigger || dismissed.current !== undefined) {
      hide();
      return;
    }
    const question = ++asked.current;
    void look(trigger, text, offset, (offers) => {
      if (question === asked.current) {
        setShown((before) => {
          // Offers that come later leave the active one where the user put it.
          const kept = before?.question === question ? before.offers[before.active]?.key : undefined;
          const active = Math.max(0, offers.findIndex(({ key }) => key === kept));
          return offers.length === 0 ? undefined : { question, trigger, offers, active };
        });
      }
    });
  };

  return {
    offers: shown?.offers ?? [],
    active: shown?.active ?? 0,
    isWhole() {
      const offer = shown?.offers[shown.active];
      return offer?.kind === 'command' && box.area.current!.value.trim() === offer.insert.trim();
    },
    typed,
    moved() {
      if (shown && at().trigger?.start !== shown.trigger.start) {
        hide();
      }
    },
    move(by) {
      if (shown) {
        const count = shown.offers.length;
        setShown({ ...shown, active: (shown.active + by + count) % count });
      }
    },
    choose({ range, insert, chip }) {
      const { offset } = at();
      hide();
      box.replace(range.start, Math.max(range.end, offset), insert);
      if (insert.endsWith('/')) {
        typed(); // what is in the folder
      }
      if (chip) {
        void add(box, chip);
      }
    },
    hide,
    close() {
      dismissed.current = shown?.trigger.start;
      hide();
    },
  };
}

async function add(box: Box, chip: Chip): Promise<void> {
  try {
    const found = chip.resolve ? (await host('resolve', { chip })).chip : chip;
    box.add([await normalized(found)]);
  } catch {
    // The editor has said why.
  }
}

/** Asks the server and the editor, and calls back with what there is as soon as one has answered. */
async function look(trigger: Trigger, text: string, offset: number, show: (offers: Offer[]) => void): Promise<void> {
  const { sessionId } = getState();
  const params = { text, offset, ...(sessionId !== undefined && { sessionId }) };
  const items = server<{ items: CompletionItem[] }>('emendo/prompt/complete', params).then(
    (result) => result.items,
    (): CompletionItem[] => [],
  );
  // The editor has no commands.
  const chips = trigger.sign === '/' ? Promise.resolve([]) : host('complete', { query: trigger.query }).then(
    (result) => result.items,
    (): Chip[] => [],
  );
  let served: CompletionItem[] = [];
  let own: Chip[] = [];
  const came = (): void => {
    if (served.length > 0 || own.length > 0) {
      show(merge(trigger, offset, served, own));
    }
  };
  await Promise.all([
    items.then((found) => {
      served = found;
      came();
    }),
    chips.then((found) => {
      own = found;
      came();
    }),
  ]);
  if (served.length === 0 && own.length === 0) {
    show([]);
  }
}
