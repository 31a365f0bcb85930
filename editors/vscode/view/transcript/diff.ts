import type { Row } from '../../src/shared/view';

/** Reads a unified diff of one file. Headers are left out, and hunks after the first begin with a gap. */
export function readUnified(diff: string): Row[] {
  const rows: Row[] = [];
  let inHunk = false;
  for (const line of diff.split('\n')) {
    if (line.startsWith('@@')) {
      if (inHunk) {
        rows.push(['…', '']);
      }
      inHunk = true;
    } else if (inHunk && line !== '' && !line.startsWith('\\')) {
      rows.push([line.startsWith('+') ? '+' : line.startsWith('-') ? '-' : '=', line.slice(1)]);
    }
  }
  return rows;
}
