/** How many lines of a diff are shown at first. */
export const shownLines = 200;

/** A line of a diff as it is shown. */
export interface DiffLine {
  kind: 'same' | 'added' | 'removed' | 'gap';
  text: string;
}

/** Reads a unified diff of one file. Headers are left out, and hunks after the first begin with a gap. */
export function readUnified(diff: string): DiffLine[] {
  const lines: DiffLine[] = [];
  let inHunk = false;
  for (const line of diff.split('\n')) {
    if (line.startsWith('@@')) {
      if (inHunk) {
        lines.push({ kind: 'gap', text: '' });
      }
      inHunk = true;
    } else if (inHunk && line !== '' && !line.startsWith('\\')) {
      const kind = line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : 'same';
      lines.push({ kind, text: line.slice(1) });
    }
  }
  return lines;
}

/** Compares two texts by what they begin and end with alike, with some lines around the change. */
export function compare(oldText: string, newText: string, around = 3): DiffLine[] {
  const before = linesOf(oldText);
  const after = linesOf(newText);
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) {
    start++;
  }
  let end = 0;
  while (end < before.length - start && end < after.length - start && before[before.length - 1 - end] === after[after.length - 1 - end]) {
    end++;
  }
  const as = (kind: DiffLine['kind'], lines: string[]): DiffLine[] => lines.map((text) => ({ kind, text }));
  return [
    ...as('same', after.slice(Math.max(0, start - around), start)),
    ...as('removed', before.slice(start, before.length - end)),
    ...as('added', after.slice(start, after.length - end)),
    ...as('same', after.slice(after.length - end, after.length - end + around)),
  ];
}

function linesOf(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') {
    lines.pop();
  }
  return lines;
}

/** The numbers of lines that a diff adds and removes. */
export function counts(lines: readonly DiffLine[]): { added: number; removed: number } {
  return { added: lines.filter(({ kind }) => kind === 'added').length, removed: lines.filter(({ kind }) => kind === 'removed').length };
}
