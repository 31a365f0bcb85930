/** Splits a text into lines with their line ends. An empty text has none. */
export function splitLines(text: string): string[] {
  return text.match(/[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+$/g) ?? [];
}

/** Returns the number of lines of a hunk's text. */
export function countLines(text: string): number {
  return splitLines(text).length;
}

/** Returns the lines of a text without their line ends. */
export function bareLines(text: string): string[] {
  return splitLines(text).map(bare);
}

/** Returns a line without its line end. */
export function bare(line: string): string {
  return line.replace(/[\r\n]+$/, '');
}
