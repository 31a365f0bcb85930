/** A text whose middle is left out. */
export interface Ends {
  head: string;
  /** How many characters are left out. */
  hidden: number;
  tail: string;
}

/** As many characters count as one row: a narrow view wraps there. */
const columns = 45;
/** A text with more rows is cut to as many at its beginning, and as many at its end. */
const most = 12;
const kept = 5;

/** Returns the beginning and the end of a text that is too long to be seen at once, or undefined for a shorter one. */
export function ends(text: string): Ends | undefined {
  const rows = text.split(/(?<=\n)/).flatMap(wrapped);
  if (rows.length <= most) {
    return undefined;
  }
  const head = rows.slice(0, kept).join('');
  const tail = rows.slice(-kept).join('');
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
