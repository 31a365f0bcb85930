import { findIn, type Piece } from './matches';

/** More in one turn are neither marked nor counted. */
export const most = 2000;

/** Elements whose text is read as one. */
const blocks = 'p, li, pre, td, th, h3, h4, h5, h6, blockquote, .prompt-text, .fold-head, .notice, .dim';
/** What the view says itself. */
const passed =
  '.hidden-text, .code-head, .code-more, .small-button, .turn-actions, .message-actions, .turn-panel, .diff-mark, .tool-end, .counts, .facts, .remedies, .compaction, .change-set-foot, .prompt-start';

/** Finds a text in what is drawn of a turn, folded or not. */
export function matchesOf(turn: Element, query: string): StaticRange[] {
  const ranges: StaticRange[] = [];
  let block: Element | null = null;
  let pieces: Piece<Text>[] = [];
  const flush = (): void => {
    for (const { start, end } of findIn(pieces, query)) {
      ranges.push(new StaticRange({ startContainer: start.node, startOffset: start.offset, endContainer: end.node, endOffset: end.offset }));
    }
    pieces = [];
  };
  const walker = document.createTreeWalker(turn, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, (node) =>
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
