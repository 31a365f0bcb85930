import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { server } from '../bridge';
import type { Item } from '../../src/shared/view';
import { getState } from '../state';
import { setState } from '../state/store';
import { findIn, type Piece } from './matches';

/** More are neither marked nor counted. */
export const most = 10_000;

/** Where the user is among the matches: at one on the page, or at an item that has not come. */
export interface Place {
  query: string;
  at: StaticRange | string | undefined;
}

/** What was found. */
export interface Found {
  query: string;
  /** The items with the text that are before those that have come. */
  ids: readonly string[];
  /** The matches on the page. */
  ranges: readonly StaticRange[];
  /** The first match that could be seen when the query was searched first, or after what was seen. */
  first: Place;
}

/** So many items are all drawn while the user searches. Of more only turns in which the server finds the text, or drawing takes minutes. */
const few = 1000;

/** The time until the next search of a page that changes, in milliseconds. */
const pause = 100;

/**
 * Searches the conversation, and again when the page changes. What has come is
 * searched on the page, and the server says in which of the other items the text is.
 */
export function useMatches(content: RefObject<HTMLElement | null>, query: string): Found {
  const [found, setFound] = useState<Found>({ query: '', ids: [], ranges: [], first: { query: '', at: undefined } });
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let next = performance.now() + pause / 2; // the user may still be typing
    let ids: readonly string[] = [];
    let searched: string | undefined; // the last turn for which the server was asked; earlier pages add nothing to its answer
    let first: Place | undefined;
    let over = false;
    const look = async (): Promise<void> => {
      const { view, sessionId } = getState();
      const last = view.below.get('')?.at(-1);
      if (query.trim() !== '' && searched !== last) {
        searched = last;
        ids = await server<{ ids: string[] }>('emendo/view/find', { sessionId, text: query }).then(
          (result) => result.ids,
          () => [],
        );
      }
      if (over) {
        return;
      }
      const { items } = getState().view;
      setState({ found: items.size <= few ? 'all' : new Set(ids.map((id) => topOf(items, id))) });
      await new Promise((resolve) => void setTimeout(resolve)); // they are drawn then
      timer = undefined;
      if (over) {
        return;
      }
      const began = performance.now();
      const ranges = query.trim() === '' ? [] : matchesOf(content.current!, query);
      const before = ids.filter((id) => !getState().view.items.has(id));
      first ??= { query, at: firstSeen(ranges) ?? before.at(-1) };
      setFound({ query, ids: before, ranges, first });
      const ended = performance.now();
      next = ended + Math.max(pause, (ended - began) * 4);
    };
    const plan = (): void => {
      timer ??= setTimeout(() => void look(), Math.max(0, next - performance.now()));
    };
    const observer = new MutationObserver(plan);
    observer.observe(content.current!, { childList: true, characterData: true, subtree: true });
    plan();
    return () => {
      over = true;
      observer.disconnect();
      clearTimeout(timer);
    };
  }, [query]);
  return found;
}

/** What an item stands in, at the top of the conversation. */
function topOf(items: ReadonlyMap<string, Item>, id: string): string {
  const parent = items.get(id)?.parent;
  return parent === undefined ? id : topOf(items, parent);
}

/** Elements whose text is read as one. */
const blocks = 'p, li, pre, td, th, h3, h4, h5, h6, blockquote, .prompt-text, .fold-head, .notice, .dim';
/** What the view says itself. */
const passed =
  '.obstacle, .empty, .earlier, .hidden-text, .code-head, .small-button, .turn-actions, .message-actions, .turn-panel, .diff-mark, .tool-end, .counts, .facts, .remedies, .compaction, .change-set-foot, .prompt-start';

/** Finds a text in what is drawn, folded or not. */
function matchesOf(content: Element, query: string): StaticRange[] {
  const ranges: StaticRange[] = [];
  let block: Element | null = null;
  let pieces: Piece<Text>[] = [];
  const flush = (): void => {
    for (const { start, end } of findIn(pieces, query)) {
      ranges.push(new StaticRange({ startContainer: start.node, startOffset: start.offset, endContainer: end.node, endOffset: end.offset }));
    }
    pieces = [];
  };
  const walker = document.createTreeWalker(content, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, (node) =>
    node instanceof Element ? (node.matches(passed) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_SKIP) : NodeFilter.FILTER_ACCEPT,
  );
  while (walker.nextNode() && ranges.length < most) {
    const node = walker.currentNode as Text;
    const own = node.parentElement?.closest(blocks) ?? node.parentElement;
    if (own !== block) {
      flush();
      block = own;
    }
    pieces.push({ node, text: node.data });
  }
  flush();
  return ranges.slice(0, most);
}

/** The first match that is not folded and not above what is seen; without one the first of all. */
function firstSeen(ranges: readonly StaticRange[]): StaticRange | undefined {
  const top = document.querySelector('.transcript')?.getBoundingClientRect().top ?? 0;
  return ranges.find(({ startContainer, startOffset, endContainer, endOffset }) => {
    const range = document.createRange();
    range.setStart(startContainer, startOffset);
    range.setEnd(endContainer, endOffset);
    const { bottom, height } = range.getBoundingClientRect();
    return height > 0 && bottom >= top;
  }) ?? ranges[0];
}
