/** An edit of a document: the rows that it replaces, and the number of line ends that it puts there. */
export interface Edit {
  start: { line: number; character: number };
  end: { line: number; character: number };
  lines: number;
}

/** As many edits are remembered: those before them are known to the server, unless they are below all hunks. */
const most = 500;

/**
 * What was typed into a document since the versions of it that the server has told
 * of: where hunks are is right for one version, and the user types on.
 */
export class Typed {
  private edits: { version: number; edit: Edit }[] = [];

  /** Adds the edits that led to a version, and reports whether lines have come or gone. */
  add(version: number, edits: readonly Edit[]): boolean {
    const grown = edits.filter((edit) => grows(edit) !== 0);
    grown.sort((a, b) => b.start.line - a.start.line || b.start.character - a.start.character); // each is told as if it were the only one
    this.edits = [...this.edits, ...grown.map((edit) => ({ version, edit }))].slice(-most);
    return grown.length > 0;
  }

  /** Returns where a row of a version is now. */
  row(row: number, version = 0): number {
    return this.edits.reduce((at, { version: to, edit }) => {
      const above = edit.end.line < at || (edit.end.line === at && edit.end.character === 0);
      return to > version && above ? at + grows(edit) : at;
    }, row);
  }

  /** Forgets what led to a version: nothing is asked about earlier ones. */
  forget(version: number): void {
    this.edits = this.edits.filter(({ version: to }) => to > version);
  }
}

function grows({ start, end, lines }: Edit): number {
  return lines - (end.line - start.line);
}
