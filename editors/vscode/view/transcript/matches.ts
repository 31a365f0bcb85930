/** A piece of text of the page and where it begins in all of the text around it. */
export interface Piece<N> {
  node: N;
  text: string;
}

/** Where a match is: from an offset in one piece to one in the same or a later piece. */
export interface Match<N> {
  start: { node: N; offset: number };
  end: { node: N; offset: number };
}

/** Finds a text, whatever its case, in pieces that are read one after another. */
export function findIn<N>(pieces: readonly Piece<N>[], query: string): Match<N>[] {
  if (query === '') {
    return [];
  }
  const text = pieces.map((piece) => piece.text).join('');
  const starts: number[] = [];
  let length = 0;
  for (const piece of pieces) {
    starts.push(length);
    length += piece.text.length;
  }
  const matches: Match<N>[] = [];
  let at = 0;
  const place = (offset: number, end: boolean): { node: N; offset: number } => {
    while (at + 1 < starts.length && (end ? starts[at + 1]! < offset : starts[at + 1]! <= offset)) {
      at++;
    }
    return { node: pieces[at]!.node, offset: offset - starts[at]! };
  };
  for (const { index, 0: found } of text.matchAll(pattern(query))) {
    const start = place(index, false);
    matches.push({ start, end: place(index + found.length, true) });
  }
  return matches;
}

function pattern(query: string): RegExp {
  return new RegExp(query.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&'), 'gi');
}

/** One of the matches of a conversation: which one in which turn, both from zero. */
export interface Place {
  turn: number;
  match: number;
}

/** How many matches are before a place. `counts` has the matches of each turn. */
export function before(counts: readonly number[], { turn, match }: Place): number {
  return counts.slice(0, turn).reduce((sum, count) => sum + count, match);
}

/** The place of a match that is counted over all turns. */
export function placeOf(counts: readonly number[], index: number): Place {
  let match = index;
  for (const [turn, count] of counts.entries()) {
    if (match < count) {
      return { turn, match };
    }
    match -= count;
  }
  return { turn: 0, match: 0 };
}

/** The place itself if there is a match, else the last one before it in its turn, or the next one in another. */
export function nearest(counts: readonly number[], { turn, match }: Place): Place {
  const count = counts[turn] ?? 0;
  return count > 0 ? { turn, match: Math.min(match, count - 1) } : placeOf(counts, before(counts, { turn, match: 0 }));
}
