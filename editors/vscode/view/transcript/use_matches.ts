import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Fold } from '../../src/shared/fold';
import { server } from '../bridge';
import { getState } from '../state';
import { matchesOf } from './page_matches';

/** What was found in a turn. */
export interface Found {
  /** Empty for what is before the first item that has come. */
  turnId: string;
  element: Element | undefined;
  /** The matches on the page; undefined as long as the turn is not drawn. */
  ranges: readonly StaticRange[] | undefined;
  /** How many there are; of a turn that is not drawn the items that have any. */
  count: number;
  /** Those items. */
  ids: readonly string[];
}

/** The time until the next search of a page that changes, in milliseconds. */
const pause = 100;

/**
 * Searches the conversation and tells what it finds in each turn: at first with
 * `first`, and again when the page changes. The page itself is searched where it
 * is drawn, and the server says in which items of the rest the text is.
 */
export function useMatches(content: RefObject<HTMLElement | null>, query: string, found: (turns: Found[], first: boolean) => void): void {
  useEffect(() => {
    const known = new WeakMap<Element, readonly StaticRange[]>();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let first = true;
    let next = performance.now() + pause / 2; // the user may still be typing
    let ids: readonly string[] = [];
    let searched: unknown; // the order of the turns for which the server was asked
    let over = false;
    const look = async (): Promise<void> => {
      const { view, sessionId } = getState();
      if (query.trim() !== '' && searched !== view.below.get('')) {
        searched = view.below.get('');
        ids = await server<{ ids: string[] }>('emendo/view/find', { sessionId, text: query }).then(
          (result) => result.ids,
          () => [],
        );
      }
      timer = undefined;
      if (over) {
        return;
      }
      const began = performance.now();
      found(query.trim() === '' ? [] : searchTurns(content.current!, query, ids, known), first);
      first = false;
      const ended = performance.now();
      next = ended + Math.max(pause, (ended - began) * 4);
    };
    const plan = (): void => {
      timer ??= setTimeout(() => void look(), Math.max(0, next - performance.now()));
    };
    const observer = new MutationObserver((records) => {
      for (const { target } of records) {
        const turn = (target instanceof Element ? target : target.parentElement)?.closest('article.turn');
        if (turn) {
          known.delete(turn);
        }
      }
      plan();
    });
    observer.observe(content.current!, { childList: true, characterData: true, subtree: true });
    plan();
    return () => {
      over = true;
      observer.disconnect();
      clearTimeout(timer);
    };
  }, [query]);
}

function searchTurns(content: Element, query: string, ids: readonly string[], known: WeakMap<Element, readonly StaticRange[]>): Found[] {
  const { view } = getState();
  const elements = new Map([...content.querySelectorAll<HTMLElement>('article.turn')].map((element) => [element.dataset['turn'], element]));
  const byTurn = new Map<string, string[]>();
  for (const id of ids) {
    byTurn.set(turnOf(view, id), [...(byTurn.get(turnOf(view, id)) ?? []), id]);
  }
  const turns = ['', ...(view.below.get('') ?? [])].filter((id) => id === '' || view.items.get(id)?.kind === 'turn');
  return turns.map((turnId): Found => {
    const element = elements.get(turnId);
    const inside = byTurn.get(turnId) ?? [];
    if (!element?.hasChildNodes()) {
      return { turnId, element, ranges: undefined, count: inside.length, ids: inside };
    }
    const ranges = known.get(element) ?? matchesOf(element, query);
    known.set(element, ranges);
    return { turnId, element, ranges, count: ranges.length, ids: inside };
  });
}

/** The turn that an item is in; empty if it has not come. */
export function turnOf(view: Fold, id: string): string {
  const item = view.items.get(id);
  return item?.parent === undefined ? (item?.id ?? '') : turnOf(view, item.parent);
}
