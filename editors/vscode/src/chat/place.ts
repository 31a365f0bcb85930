/** Where a code block of an answer belongs in a file. */

/** Lines of the file that the block replaces, zero-based, `end` excluded, and the block's text with its line ends. */
export interface Place {
  start: number;
  end: number;
  text: string;
}

/** A block with this share of the file's lines, which begins and ends as the file does, is the whole file. */
const wholeFile = 0.6;

/**
 * Finds the lines that a block is a new version of: from the only line that
 * equals the block's first one, indented alike or more, to the next that equals
 * its last, or as far as lines are indented more if the block ends in such a one.
 * A block that is found nowhere goes before the line `cursor`.
 */
export function place(file: string, block: string, cursor: number): Place {
  const lines = file.split(/\r\n|\n/);
  const wanted = trim(block.split(/\r\n|\n/));
  const first = wanted[0];
  const last = wanted.at(-1);
  if (first === undefined || last === undefined) {
    return { start: cursor, end: cursor, text: '' };
  }
  const filled = trim(lines);
  if (filled.length === 0) {
    return { start: 0, end: lines.length, text: text(wanted, '') };
  }
  if (filled[0] === first && filled.at(-1) === last && wanted.length >= filled.length * wholeFile) {
    return { start: 0, end: lines.length, text: text(wanted, '') };
  }
  const starts = lines.flatMap((line, at) => (line.trim() === first.trim() ? [at] : []));
  const start = starts[0];
  if (starts.length === 1 && start !== undefined) {
    const there = indent(lines[start]!);
    const more = there.slice(0, Math.max(0, there.length - indent(first).length));
    const end = indent(last).length > indent(first).length ? indented(lines, start) : closing(lines, start, more + last.trimEnd());
    if (end !== undefined) {
      return { start, end, text: text(wanted, more) };
    }
  }
  return { start: cursor, end: cursor, text: text(wanted, '') };
}

/** Where a passage ends whose last line, as the block has it, closes it. */
function closing(lines: string[], start: number, last: string): number | undefined {
  const at = lines.findIndex((line, at) => at > start && line.trimEnd() === last);
  return at < 0 ? undefined : at + 1;
}

/** Where a passage ends that is as long as its lines are indented more than the first. */
function indented(lines: string[], start: number): number | undefined {
  const more = (line: string): boolean => indent(line).length > indent(lines[start]!).length;
  let end: number | undefined;
  for (let at = start + 1; at < lines.length && (lines[at]!.trim() === '' || more(lines[at]!)); at++) {
    if (lines[at]!.trim() !== '') {
      end = at + 1;
    }
  }
  return end;
}

/** Leaves out empty lines at the start and at the end. */
function trim(lines: string[]): string[] {
  const filled = (line: string): boolean => line.trim() !== '';
  return lines.slice(Math.max(lines.findIndex(filled), 0), lines.findLastIndex(filled) + 1);
}

function indent(line: string): string {
  return line.slice(0, line.length - line.trimStart().length);
}

function text(lines: string[], more: string): string {
  return lines.map((line) => (line === '' ? '\n' : `${more}${line}\n`)).join('');
}
