import type { Token } from 'markdown-it';
import { lineStarts, type Block } from './render';

/** The beginning of a list that is complete, and where the rest of the list begins. */
export interface Split {
  head: Block;
  /** Where the last item begins, in UTF-16 units. */
  start: number;
  /** The number that the last item has in an ordered list. */
  next: number | undefined;
}

/**
 * Splits a list before its last item, so that what is before need not be drawn
 * again while the list grows. It returns undefined for other blocks, and for a
 * list with one item.
 */
export function splitList({ start, tokens }: Block, text: string): Split | undefined {
  const [open] = tokens;
  const close = tokens.at(-1);
  if (!open || !close || !/^(?:bullet|ordered)_list_open$/.test(open.type)) {
    return undefined;
  }
  const items = tokens.flatMap((token, index) => (token.type === 'list_item_open' && token.level === 1 ? [index] : []));
  const last = items.at(-1);
  const line = last === undefined ? undefined : tokens[last]!.map?.[0];
  if (items.length < 2 || last === undefined || line === undefined) {
    return undefined;
  }
  const ordered = open.type === 'ordered_list_open';
  open.attrJoin('class', 'goes-on');
  return {
    head: { start, tokens: [...tokens.slice(0, last), close] },
    start: lineStarts(text)[line] ?? text.length,
    next: ordered ? numberOf(open) + items.length - 1 : undefined,
  };
}

/** Has a list that is the rest of another one go on counting. */
export function goOn(tokens: readonly Token[], number: number): void {
  const [open] = tokens;
  if (open?.type === 'ordered_list_open') {
    open.attrSet('start', String(number));
  }
}

function numberOf(open: Token): number {
  return Number(open.attrGet('start') ?? 1);
}
