import * as vscode from 'vscode';
import type { Changes, PlacedHunk } from './changes';
import type { Documents } from './documents';
import type { ReviewHunk } from './store';
import { parseVirtual } from './virtual';

/** Where the user is among the hunks. */
export class Cursor implements vscode.Disposable {
  private readonly disposables: vscode.Disposable[];
  private readonly keys: Record<string, boolean> = {};

  constructor(
    private readonly changes: Changes,
    private readonly documents: Documents,
  ) {
    const update = (): void => this.update();
    this.disposables = [
      changes.onDidChange(update),
      vscode.window.onDidChangeActiveTextEditor(update),
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => textEditor === vscode.window.activeTextEditor && update()),
    ];
  }

  dispose(): void {
    vscode.Disposable.from(...this.disposables).dispose();
  }

  /** Returns the hunk at the cursor of the active editor: in its file, or in a document that shows it. */
  hunk(): ReviewHunk | undefined {
    const editor = vscode.window.activeTextEditor;
    if (!editor) {
      return undefined;
    }
    const row = rowOf(editor.selection);
    const virtual = parseVirtual(editor.document.uri);
    if (!virtual) {
      return this.changes.placed(editor.document).find((at) => covers(at, row))?.h;
    }
    const { store } = this.changes;
    if ('hunkId' in virtual) {
      return store.hunk(virtual.hunkId);
    }
    const regions = this.documents.regions(virtual);
    // A deletion has no row of its own: it is where the cursor is next to it.
    const region = regions.find(({ start, end }) => start <= row && row < end) ?? regions.find(({ start, end }) => start === end && (row === start || row === start - 1));
    return region && store.hunk(region.id);
  }

  /** Returns the file that the active editor shows, itself or a proposal of it. */
  file(): string | undefined {
    const uri = vscode.window.activeTextEditor?.document.uri;
    return uri && (parseVirtual(uri)?.uri ?? uri.toString());
  }

  /** Returns the first pending hunk after the cursor or before it, in this file and then in the others; where none is pending any other. */
  neighbour(step: 1 | -1): { h: ReviewHunk; index: number; count: number } | undefined {
    const { store } = this.changes;
    const list = store.pending.length > 0 ? store.pending : store.files.flatMap(({ hunks }) => hunks);
    const uris = store.files.map(({ uri }) => uri);
    const here = this.place();
    const at = here.uri === undefined ? -1 : uris.indexOf(here.uri);
    const compare = (h: ReviewHunk): number => uris.indexOf(h.uri) - at || this.changes.row(h) - here.row;
    const ahead = step > 0 ? list.findIndex((h) => compare(h) > 0) : list.findLastIndex((h) => compare(h) < 0);
    const index = ahead >= 0 ? ahead : step > 0 ? 0 : list.length - 1;
    const h = list[index];
    return h && { h, index, count: list.length };
  }

  private place(): { uri: string | undefined; row: number } {
    const editor = vscode.window.activeTextEditor;
    const h = editor && parseVirtual(editor.document.uri) && this.hunk();
    return { uri: this.file(), row: h ? this.changes.row(h) : (editor?.selection.active.line ?? -1) };
  }

  private update(): void {
    const { files } = this.changes.store;
    this.set('emendo.hasPending', files.some(({ hunks }) => hunks.some(({ state }) => state === 'pending')));
    this.set('emendo.hasHunks', files.length > 0);
    this.set('emendo.hunkAtCursor', files.length > 0 && this.hunk() !== undefined);
  }

  private set(key: string, value: boolean): void {
    if (this.keys[key] !== value) {
      this.keys[key] = value;
      void vscode.commands.executeCommand('setContext', key, value);
    }
  }
}

/** Reports whether a row is in a hunk; an insertion has the rows beside it. */
export function covers({ row, rows }: Pick<PlacedHunk, 'row' | 'rows'>, at: number): boolean {
  return rows === 0 ? at === row || at === row - 1 : row <= at && at < row + rows;
}

/** The row of the cursor. Where lines are selected, the cursor is at the start of the next, which is not meant. */
export function rowOf({ active, start }: vscode.Selection): number {
  return active.character === 0 && active.line > start.line ? active.line - 1 : active.line;
}
