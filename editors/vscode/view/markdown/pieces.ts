/** A longer line of a diff is cut. */
export const shownLine = 4_000;

/** Returns a line that is quick to lay out: the beginning of one that is too long. */
export function shortLine(line: string): string {
  return line.length > shownLine ? `${line.slice(0, whole(line, shownLine))}…` : line;
}

/** An offset that is not between the halves of a character. */
function whole(text: string, at: number): number {
  return /[\uDC00-\uDFFF]/.test(text[at] ?? '') ? at - 1 : at;
}

/** Splits a text into pieces that are each quick to lay out, at line ends where possible. */
export function pieces(text: string, size = 20_000): string[] {
  const result: string[] = [];
  for (let at = 0; at < text.length; ) {
    let end = Math.min(text.length, at + size);
    if (end < text.length) {
      const line = text.slice(at, end).lastIndexOf('\n'); // in the piece alone: a giant line has no other
      end = line > 0 ? at + line + 1 : whole(text, end);
    }
    result.push(text.slice(at, end));
    at = end;
  }
  return result;
}
