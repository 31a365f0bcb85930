/** A part of a text: UTF-16 offsets, the end excluded. */
export interface Span {
  start: number;
  end: number;
}

/** Beyond this many comparisons nothing inside the lines is marked. */
const maxComparisons = 250_000;

/** Below this share of common text the lines differ as a whole. */
const minCommon = 0.3;

/** Returns which parts of a text another one does not have; nothing if they have too little in common, or are too long. */
export function removedWords(before: string, after: string): Span[] {
  const a = before.match(token) ?? [];
  const b = after.match(token) ?? [];
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) {
    head++;
  }
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) {
    tail++;
  }
  const x = a.slice(head, a.length - tail);
  const y = b.slice(head, b.length - tail);
  if (x.length * y.length > maxComparisons) {
    return [];
  }
  const removed = spans(x, kept(x, y), length(a.slice(0, head)));
  const common = before.length - removed.reduce((sum, { start, end }) => sum + end - start, 0);
  return common < minCommon * Math.min(before.length, after.length) ? [] : removed;
}

const token = /[\p{L}\p{N}_]+|[ \t]+|\r?\n|[^]/gu;

const length = (tokens: string[]): number => tokens.reduce((sum, { length }) => sum + length, 0);

/** Returns the indices in x of a longest common subsequence of both. */
function kept(x: string[], y: string[]): Set<number> {
  const width = y.length + 1;
  const best = new Uint16Array((x.length + 1) * width); // of the rest from i and j on
  const at = (i: number, j: number): number => best[i * width + j]!;
  for (let i = x.length - 1; i >= 0; i--) {
    for (let j = y.length - 1; j >= 0; j--) {
      best[i * width + j] = x[i] === y[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const found = new Set<number>();
  for (let i = 0, j = 0; i < x.length && j < y.length; ) {
    if (x[i] === y[j]) {
      found.add(i++);
      j++;
    } else if (at(i + 1, j) >= at(i, j + 1)) {
      i++;
    } else {
      j++;
    }
  }
  return found;
}

/** Returns where the tokens are that are not kept, neighbours as one. */
function spans(tokens: string[], kept: Set<number>, offset: number): Span[] {
  const found: Span[] = [];
  let at = offset;
  tokens.forEach((text, i) => {
    const end = at + text.length;
    if (!kept.has(i)) {
      const last = found.at(-1);
      if (last?.end === at) {
        last.end = end;
      } else {
        found.push({ start: at, end });
      }
    }
    at = end;
  });
  return found;
}
