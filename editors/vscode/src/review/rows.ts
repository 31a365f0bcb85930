import type { HunkView, Row } from '../shared/view';

/** Returns the lines of a hunk's rows that are in its old text (`-`), or in its new one (`+`). */
export function linesOf(rows: readonly Row[], mark: '-' | '+'): string[] {
  return rows.filter(([of]) => of === '=' || of === mark).map(([, text]) => text);
}

/** An old line and the new one beside it have no more columns: the narrowest window that is usual shows them. */
const most = 80;
/** As wide is what is drawn between them. */
const between = 4;
const tab = 4;

/** Returns the new line of a hunk that is one line in place of another and can be shown beside it. */
export function lineBeside({ rows = [] }: Pick<HunkView, 'rows'>): string | undefined {
  const [[was, before] = [], [is, after = ''] = []] = rows;
  const pair = rows.length === 2 && was === '-' && is === '+';
  return pair && columns(before!) + between + columns(after.trim()) <= most ? after : undefined;
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
