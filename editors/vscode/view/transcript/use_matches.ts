import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';
import { getState } from '../state';
import { countIn } from './matches';
import { matchesOf, most } from './page_matches';
import { searchedTexts } from './searched';

/** What was found in a turn. */
export interface Found {
  turnId: string;
  element: Element | undefined;
  /** The matches on the page; undefined as long as the turn is not drawn. */
  ranges: readonly StaticRange[] | undefined;
  /** How many there are, or will be when the turn is drawn. */
  count: number;
}

/** The time until the next search of a page that changes, in milliseconds. */
const pause = 100;

/**
 * Searches the conversation and tells what it finds in each turn: at first with
 * `first`, and again when the page changes. Turns that are not drawn are searched
 * in their texts, so that they need not be drawn to be counted.
 */
export function useMatches(content: RefObject<HTMLElement | null>, query: string, found: (turns: Found[], first: boolean) => void): void {
  useEffect(() => {
    const known = new WeakMap<Element, readonly StaticRange[]>();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let first = true;
    let next = performance.now() + pause / 2; // the user may still be typing
    const look = (): void => {
      const began = performance.now();
      timer = undefined;
      found(query.trim() === '' ? [] : searchTurns(content.current!, query, known), first);
      first = false;
      const ended = performance.now();
      next = ended + Math.max(pause, (ended - began) * 4);
    };
    const plan = (): void => {
      timer ??= setTimeout(look, Math.max(0, next - performance.now()));
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
      observer.disconnect();
      clearTimeout(timer);
    };
  }, [query]);
}

function searchTurns(content: Element, query: string, known: WeakMap<Element, readonly StaticRange[]>): Found[] {
  const state = getState();
  const elements = new Map([...content.querySelectorAll<HTMLElement>('article.turn')].map((element) => [element.dataset['turn'], element]));
  return state.conversation.turns.map((turn) => {
    const element = elements.get(turn.id);
    if (!element?.hasChildNodes()) {
      return { turnId: turn.id, element, ranges: undefined, count: Math.min(most, countIn(searchedTexts(turn, state), query)) };
    }
    const ranges = known.get(element) ?? matchesOf(element, query);
    known.set(element, ranges);
    return { turnId: turn.id, element, ranges, count: ranges.length };
  });
}
