import { useCallback, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Chip } from '../../src/shared/messages';
import { getState, subscribe } from '../state/store';
import { withChips, type Draft } from './blocks';
import { draftOf, fetchLarge, flushDrafts, isKept, nothing, onDraftElsewhere, shownSession, storeDraft, together, type Written } from './draft';
import type { History } from './history';

/** The text that is being written, and its chips. The text is the textarea's own, so that undo works. */
export interface Box extends Written {
  area: { readonly current: HTMLTextAreaElement | null };
  /** What is in the box now, also in a callback from before the last drawing. */
  read(): Written;
  /** Takes over what the textarea has, after the user or the view changed it. */
  changed(): void;
  /** Replaces a part of the text and puts the cursor behind it. Undo brings the part back. */
  replace(start: number, end: number, text: string): void;
  /** Replaces everything that is given. */
  set(draft: Draft & Partial<Written>, cursor?: 'start' | 'end'): void;
  /** Replaces what is left out of the prompt. */
  leaveOut(part: Partial<Pick<Written, 'context' | 'excluded'>>): void;
  add(chips: readonly Chip[]): void;
  remove(id: string): void;
  /** Whether the view is changing the text, and not the user. */
  replacing(): boolean;
  /** Keeps a draft stored while it is on its way to the server. What that returns ends it: a draft that was not taken comes back to where it was written. */
  hold(draft: Written): (taken: boolean) => void;
  /** Runs before the box is left for another session. */
  readonly leaving: { current: () => void };
}

interface Held {
  session: string;
  draft: Written;
}

/** The prompt box. Each session has a draft of its own, and so has the one that begins with the prompt. */
export function useBox(history: History): Box {
  const area = useRef<HTMLTextAreaElement>(null);
  const session = useRef(shownSession());
  const current = useRef<Written | undefined>(undefined);
  current.current ??= draftOf(session.current);
  const held = useRef<readonly Held[]>([]);
  const left = useRef(new Map<string, Written>()); // the boxes of other sessions that have drafts on their way
  const leaving = useRef(() => {});
  const busy = useRef(false);
  const [, redraw] = useState({});

  /** Stores a session's draft with what is on its way from there. */
  const store = useCallback((of: string): void => {
    const { text, ...rest } = of === session.current ? current.current! : (left.current.get(of) ?? nothing);
    const own = { ...rest, text: of === session.current ? history.written(text) : text };
    storeDraft(of, together([...held.current.filter((one) => one.session === of).map(({ draft }) => draft), own]));
  }, []);
  const update = useCallback((part: Partial<Written>): void => {
    current.current = { ...current.current!, ...part };
    store(session.current);
    redraw({});
  }, []);

  const actions = useMemo(() => {
    const changed = (): void => update({ text: area.current!.value });
    const put = (start: number, end: number, text: string): void => {
      busy.current = true;
      replaceText(area.current!, start, end, text);
      busy.current = false;
    };
    const set = (draft: Draft & Partial<Written>, cursor: 'start' | 'end' = 'end'): void => {
      put(0, area.current!.value.length, draft.text);
      const at = cursor === 'start' ? 0 : draft.text.length;
      area.current!.setSelectionRange(at, at);
      update(draft);
    };
    return {
      read: () => current.current!,
      changed,
      replace(start: number, end: number, text: string): void {
        put(start, end, text);
        changed();
      },
      set,
      leaveOut: update,
      add: (chips: readonly Chip[]): void => update({ chips: withChips(current.current!.chips, chips) }),
      remove: (id: string): void => update({ chips: current.current!.chips.filter((chip) => chip.id !== id) }),
      replacing: () => busy.current,
      hold(draft: Written): (taken: boolean) => void {
        const one: Held = { session: session.current, draft };
        held.current = [...held.current, one];
        store(one.session);
        return (taken) => {
          held.current = held.current.filter((other) => other !== one);
          if (!taken && one.session === session.current) {
            set(together([draft, current.current!]));
          } else if (!taken) {
            left.current.set(one.session, together([draft, left.current.get(one.session) ?? nothing]));
          }
          store(one.session);
          if (!held.current.some((other) => other.session === one.session)) {
            left.current.delete(one.session);
          }
        };
      },
      leaving,
    };
  }, []);

  useLayoutEffect(() => {
    /** Puts a draft into the box as if it had always been there: undo does not go back to another one. */
    const begin = (draft: Written): void => {
      history.reset();
      current.current = draft;
      area.current!.value = draft.text;
      area.current!.setSelectionRange(draft.text.length, draft.text.length);
      redraw({});
      fetch();
    };
    /** Adds what is too large for the stored draft, when it is there. */
    const fetch = (): void => {
      const of = session.current;
      fetchLarge(of, current.current!.chips, (chips) => {
        if (of === session.current) {
          actions.add(chips);
        }
      });
    };
    const follow = (): void => {
      const to = shownSession();
      const from = session.current;
      if (to === from) {
        return;
      }
      if (getState().carried) {
        const there = draftOf(to);
        held.current.filter((one) => one.session === from).forEach((one) => (one.session = to));
        session.current = to;
        storeDraft(from, nothing);
        const both = together([there, current.current!]);
        if (both.text === current.current!.text) {
          update(both); // the cursor stays where it is
        } else {
          actions.set(both);
        }
        flushDrafts();
        return;
      }
      leaving.current();
      store(from);
      flushDrafts();
      if (held.current.some((one) => one.session === from)) {
        left.current.set(from, { ...current.current!, text: history.written(current.current!.text) });
      }
      session.current = to;
      begin(left.current.get(to) ?? draftOf(to));
      left.current.delete(to);
    };
    onDraftElsewhere((of, { typed }) => {
      if (of !== session.current) {
        return;
      }
      const there = draftOf(of);
      if (typed || held.current.some((one) => one.session === of)) {
        actions.set(together([there, current.current!]));
      } else {
        begin({ ...there, chips: withChips(there.chips, current.current!.chips.filter((chip) => !isKept(chip))) });
      }
    });
    area.current!.value = current.current!.text;
    fetch();
    follow();
    return subscribe(follow);
  }, []);

  return { area, ...current.current, ...actions };
}

/**
 * Changes a text in such a way that undo knows of it. The command for that is an
 * old one that no other replaces; it works on the element that has the focus.
 */
function replaceText(area: HTMLTextAreaElement, start: number, end: number, text: string): void {
  if (area.value.slice(start, end) === text) {
    return;
  }
  if (document.activeElement === area) {
    area.setSelectionRange(start, end);
    if (text === '' ? document.execCommand('delete') : document.execCommand('insertText', false, text)) {
      return;
    }
  }
  area.setRangeText(text, start, end, 'end');
}
