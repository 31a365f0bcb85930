import { bare, splitLines } from './lines';

/** A hunk to apply to a text, or to undo in it. */
export interface Replacement {
  id: string;
  /** The row of the first line to replace, from zero. */
  row: number;
  from: string;
  to: string;
}

/** The rows of a built text that come from a replacement; `end` is excluded. */
export interface Region {
  id: string;
  start: number;
  end: number;
}

export interface Built {
  text: string;
  /** By row. */
  regions: Region[];
  /** The replacements whose text is not in its place; they are left out. */
  misplaced: string[];
}

/**
 * Applies replacements to a text. They are given in the order in which they were
 * proposed: of two that overlap the later one counts, since it was made on top of
 * the earlier one and contains it.
 */
export function build(text: string, replacements: Replacement[]): Built {
  const lines = splitLines(text);
  const built: Built = { text: '', regions: [], misplaced: [] };
  const out: string[] = [];
  let at = 0;
  for (const { id, row, from, to } of onTop(replacements)) {
    const old = splitLines(from);
    if (row < at || !old.every((line, i) => lines[row + i] !== undefined && bare(lines[row + i]!) === bare(line))) {
      built.misplaced.push(id);
      continue;
    }
    out.push(...lines.slice(at, row));
    const last = out.at(-1);
    if (last !== undefined && to !== '' && bare(last) === last) {
      out[out.length - 1] = `${last}\n`; // nothing follows a line without a line end
    }
    const start = out.length;
    out.push(...splitLines(to));
    built.regions.push({ id, start, end: out.length });
    at = row + old.length;
  }
  out.push(...lines.slice(at));
  built.text = out.join('');
  return built;
}

/** Returns replacements that do not overlap, by row. */
function onTop(replacements: Replacement[]): Replacement[] {
  const chosen: Replacement[] = [];
  const rows = replacements.map((r) => ({ r, start: r.row, end: r.row + splitLines(r.from).length })).reverse();
  const sorted = rows.map((x, order) => ({ ...x, order })).sort((a, b) => a.start - b.start || a.end - b.end || a.order - b.order);
  for (let i = 0; i < sorted.length; ) {
    // A group of replacements that overlap, each with one before it.
    let end = sorted[i]!.end;
    let next = i + 1;
    while (next < sorted.length && (sorted[next]!.start < end || sorted[next]!.start === sorted[i]!.start)) {
      end = Math.max(end, sorted[next]!.end);
      next++;
    }
    const group = sorted.slice(i, next).sort((a, b) => a.order - b.order);
    const kept: typeof group = [];
    for (const x of group) {
      if (!kept.some((k) => overlap(x, k))) {
        kept.push(x);
      }
    }
    chosen.push(...kept.sort((a, b) => a.start - b.start).map(({ r }) => r));
    i = next;
  }
  return chosen;
}

function overlap(a: { start: number; end: number }, b: { start: number; end: number }): boolean {
  return a.start === b.start || (a.start < b.end && b.start < a.end);
}
