import { bare, countLines } from './lines';
import type { ReviewHunk } from './store';

/** An old line and the new one beside it have no more columns: the narrowest window that is usual shows them. */
const most = 80;
/** As wide is what is drawn between them. */
const between = 4;
const tab = 4;

/** Reports whether a hunk is one line in place of another that can be shown beside it. */
export function isBeside({ hunk: { oldText, newText }, file }: ReviewHunk): boolean {
  return file.op === 'modify' && countLines(oldText) === 1 && countLines(newText) === 1 && columns(bare(oldText)) + between + columns(newText.trim()) <= most;
}

/** Counts the columns that a line takes. */
function columns(line: string): number {
  let count = 0;
  for (const character of line) {
    count += character === '\t' ? tab - (count % tab) : wide.test(character) ? 2 : 1;
  }
  return count;
}

const wide = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
