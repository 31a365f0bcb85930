import * as vscode from 'vscode';

/** Rows of a document; both are included. */
export interface Rows {
  first: number;
  last: number;
}

/**
 * The part of each document that is near what can be seen of it. What is slow for
 * thousands of lines is drawn there alone.
 */
export class Near implements vscode.Disposable {
  private readonly changing = new vscode.EventEmitter<vscode.TextDocument>();
  /** Fires when a part of a document can be seen that was not near before. */
  readonly onDidChange = this.changing.event;
  private readonly rows = new WeakMap<vscode.TextDocument, Rows>();
  private readonly disposables: vscode.Disposable[];

  constructor() {
    this.disposables = [
      this.changing,
      vscode.window.onDidChangeVisibleTextEditors((editors) => editors.forEach(({ document }) => this.update(document))),
      vscode.window.onDidChangeTextEditorVisibleRanges(({ textEditor }) => this.update(textEditor.document)),
    ];
  }

  dispose(): void {
    vscode.Disposable.from(...this.disposables).dispose();
  }

  /** Returns the rows that are near what can be seen of a document. */
  of(document: vscode.TextDocument): Rows {
    let rows = this.rows.get(document);
    if (!rows) {
      rows = around(visible(document));
      this.rows.set(document, rows);
    }
    return rows;
  }

  private update(document: vscode.TextDocument): void {
    const seen = visible(document);
    const rows = this.rows.get(document);
    if (!rows || seen.first < rows.first || seen.last > rows.last) {
      this.rows.set(document, around(seen));
      this.changing.fire(document);
    }
  }
}

/** How many rows above and below those that can be seen are near. */
const margin = 100;

function around({ first, last }: Rows): Rows {
  return { first: Math.max(0, first - margin), last: last + margin };
}

/** Returns the rows between the first and the last that any editor of a document shows. */
function visible(document: vscode.TextDocument): Rows {
  const ranges = vscode.window.visibleTextEditors.filter((editor) => editor.document === document).flatMap(({ visibleRanges }) => visibleRanges);
  const first = Math.min(...ranges.map(({ start }) => start.line));
  return ranges.length === 0 ? { first: 0, last: 0 } : { first, last: Math.max(...ranges.map(({ end }) => end.line)) };
}
