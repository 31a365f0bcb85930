import { bareLines } from './lines';

/** A hunk as far as following it needs it. */
export interface Followed {
  id: string;
  /** The row that the server says, from zero. */
  row: number;
  /** The text that is in the document at the hunk: the old text of a pending one, the new one of an accepted one. */
  text: string;
}

/** An edit of a document: the rows that it replaces, and the number of line ends that it puts there. */
export interface Edit {
  start: { line: number; character: number };
  end: { line: number; character: number };
  lines: number;
}

/** A document's lines without line ends. */
export interface Lines {
  count: number;
  line: (row: number) => string;
}

/**
 * The rows of a document's hunks. They move with what the user types at once;
 * the server's word, which comes later, counts where the hunk's text is.
 */
export class Follower {
  private readonly rows = new Map<string, { row: number; said: number }>();

  /** Returns the row of a hunk; undefined for one that was not updated. */
  row(id: string): number | undefined {
    return this.rows.get(id)?.row;
  }

  /** Moves the rows below an edit. Edits of one change are applied from the last to the first. */
  edit(edit: Edit): void {
    const grown = edit.lines - (edit.end.line - edit.start.line);
    if (grown === 0) {
      return;
    }
    for (const at of this.rows.values()) {
      if (edit.end.line < at.row || (edit.end.line === at.row && edit.end.character === 0)) {
        at.row += grown;
      }
    }
  }

  /** Takes what the server says of all hunks of the document. */
  update(hunks: Followed[], document: Lines): void {
    const known = new Map(this.rows);
    this.rows.clear();
    for (const { id, row, text } of hunks) {
      const was = known.get(id);
      let now = row;
      if (was) {
        const lines = bareLines(text);
        const trusted = was.said === row ? stands(document, was.row, lines) : !stands(document, row, lines);
        now = trusted ? was.row : row;
      }
      this.rows.set(id, { row: Math.max(0, Math.min(now, document.count)), said: row });
    }
  }
}

/** Reports whether lines are in a document at a row. */
function stands(document: Lines, row: number, lines: string[]): boolean {
  return row >= 0 && row + lines.length <= document.count && lines.every((line, i) => document.line(row + i) === line);
}
