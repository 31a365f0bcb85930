/** A piece of text of the page. */
export interface Piece<N> {
  node: N;
  text: string;
}

export interface Start<N> {
  node: N;
  offset: number;
}

/** Where a match is: from an offset in one piece to one in the same or a later piece. */
export interface Match<N> {
  start: Start<N>;
  end: Start<N>;
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
  const place = (offset: number, end: boolean): Start<N> => {
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

/** Returns which match is at a place: the first one there or after it, else the last. `follows` tells whether a node is behind another. */
export function nearest<N>(starts: readonly Start<N>[], { node, offset }: Start<N>, follows: (node: N, before: N) => boolean): number {
  const found = starts.findIndex((start) => (start.node === node ? start.offset >= offset : follows(start.node, node)));
  return found < 0 ? starts.length - 1 : found;
}
