/** How much code is shown at first. The rest is there to copy, and on demand to read. */
export const shownCharacters = 100_000;
export const shownLines = 3_000;
/** A longer line is cut: one line of a megabyte takes a browser seconds to lay out. */
export const shownLine = 4_000;

/** What is shown of a text, how many characters are not, and whether text that is added would not be either. */
export interface Cut {
  text: string;
  hidden: number;
  full: boolean;
}

/** Cuts a text that is too long to be drawn at once, at the end of a line where there is one. */
export function cut(text: string): Cut {
  let end = Math.min(text.length, shownCharacters);
  let lines = 0;
  for (let at = text.indexOf('\n'); at >= 0 && at < end; at = text.indexOf('\n', at + 1)) {
    if (++lines === shownLines) {
      end = at + 1;
    }
  }
  if (end < text.length && text[end - 1] !== '\n') {
    const line = text.lastIndexOf('\n', end - 1);
    end = line > end - shownLine ? line + 1 : whole(text, end);
  }
  const shown = text.slice(0, end);
  const short = shown.replace(longLines, (line) => line.slice(0, whole(line, shownLine)) + '…');
  return { text: short, hidden: text.length - end + shown.length - short.length + marks(short, shown), full: end < text.length };
}

/** The characters of a shortened text that stand for what was cut off. */
function marks(short: string, text: string): number {
  return short === text ? 0 : short.split('\n').filter((line) => line.length > shownLine - 1 && line.endsWith('…')).length;
}

const longLines = new RegExp(`[^\\n]{${shownLine + 1},}`, 'g');

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
      const line = text.lastIndexOf('\n', end - 1);
      end = line > at ? line + 1 : whole(text, end);
    }
    result.push(text.slice(at, end));
    at = end;
  }
  return result;
}
