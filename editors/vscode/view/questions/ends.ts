/** A text whose middle is left out. */
export interface Ends {
  head: string;
  /** How many characters are left out. */
  hidden: number;
  tail: string;
}

/** As many characters count as one row: a narrow view wraps there. */
const columns = 45;
/** From these heights and widths of the view on, in pixels, so many rows are kept of each end of a long text. */
const views = [
  { height: 650, width: 250, first: 5, last: 5 },
  { height: 450, width: 250, first: 2, last: 2 },
  { height: 450, width: 0, first: 1, last: 1 },
  { height: 0, width: 0, first: 0, last: 1 },
];

/**
 * Returns the beginning and the end of a text that is too long to be seen at once in a view of that size, or undefined
 * for a shorter one. What is kept fits above the answers.
 */
export function ends(text: string, view: { height: number; width: number }): Ends | undefined {
  const { first, last } = views.find(({ height, width }) => view.height >= height && view.width >= width)!;
  const rows = text.split(/(?<=\n)/).flatMap(wrapped);
  if (rows.length <= first + last + 2) {
    return undefined;
  }
  const head = rows.slice(0, first).join('');
  const tail = rows.slice(-last).join('');
  return { head, hidden: [...text].length - [...head].length - [...tail].length, tail };
}

/** Splits a line where it wraps. */
function wrapped(line: string): string[] {
  const characters = [...line];
  const rows: string[] = [];
  for (let at = 0; at < characters.length; at += columns) {
    rows.push(characters.slice(at, at + columns).join(''));
  }
  return rows;
}
