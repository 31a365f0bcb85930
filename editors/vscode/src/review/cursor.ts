import * as vscode from 'vscode';
import type { Changes } from './changes';
import type { Documents } from './documents';
import type { ReviewHunk } from './store';
import { covers } from './threads';
import { parseVirtual } from './virtual';

/** Where the user is among the hunks. */
export class Cursor implements vscode.Disposable {
  private readonly disposables: vscode.Disposable[];
  private readonly keys: Record<string, boolean> = {};
  private any = false;

  constructor(
    private readonly changes: Changes,
    private readonly documents: Documents,
  ) {
    const update = (): void => void this.update();
    this.disposables = [
      changes.onDidChange(() => {
        this.any = changes.any;
        update();
      }),
      vscode.window.onDidChangeActiveTextEditor(update),
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => textEditor === vscode.window.activeTextEditor && update()),
    ];
  }

  dispose(): void {
    vscode.Disposable.from(...this.disposables).dispose();
  }

  /** Returns the hunk at the cursor of the active editor: in its file, or in a document that shows it. */
  async hunk(): Promise<ReviewHunk | undefined> {
    const editor = vscode.window.activeTextEditor;
    if (!editor) {
      return undefined;
    }
    const { document, selection } = editor;
    const row = rowOf(selection);
    const virtual = parseVirtual(document.uri);
    if (!virtual) {
      return this.changes.placed(document).find((at) => covers(at, row))?.h;
    }
    const { store } = this.changes;
    if ('hunkId' in virtual) {
      return store.hunk(virtual.hunkId);
    }
    const regions = await this.documents.regions(virtual);
    // A deletion has no row of its own: it is where the cursor is next to it.
    const region = regions.find(({ start, end }) => start <= row && row < end) ?? regions.find(({ start, end }) => start === end && (row === start || row === start - 1));
    return region && store.hunk(region.id);
  }

  /** Returns the accepted hunk at the cursor of the active editor, if no other is there. */
  accepted(): ReviewHunk | undefined {
    const editor = vscode.window.activeTextEditor;
    if (!editor || parseVirtual(editor.document.uri)) {
      return undefined;
    }
    const row = rowOf(editor.selection);
    return this.changes.placed(editor.document, ['accepted']).findLast((at) => covers(at, row))?.h;
  }

  /** Returns the file that the active editor shows, itself or a proposal of it. */
  file(): string | undefined {
    const uri = vscode.window.activeTextEditor?.document.uri;
    return uri && (parseVirtual(uri)?.uri ?? uri.toString());
  }

  /** Returns the first pending hunk after the cursor or before it, in this file and then in the others. */
  async neighbour(step: 1 | -1): Promise<{ h: ReviewHunk; index: number; count: number } | undefined> {
    const { store } = this.changes;
    let list = store.pending();
    if (list.length === 0) {
      list = store.uris.flatMap((uri) => store.hunks(uri, ['applied', 'conflicted']));
    }
    if (list.length === 0) {
      return undefined;
    }
    const places = list.map((h) => ({ h, uri: h.uri, row: this.changes.row(h) }));
    const here = await this.place();
    const compare = (at: { uri: string; row: number }): number => (at.uri !== here.uri ? (at.uri < here.uri ? -1 : 1) : at.row - here.row);
    const ahead = step > 0 ? places.findIndex((at) => compare(at) > 0) : places.findLastIndex((at) => compare(at) < 0);
    const index = ahead >= 0 ? ahead : step > 0 ? 0 : list.length - 1;
    return { h: list[index]!, index, count: list.length };
  }

  private async place(): Promise<{ uri: string; row: number }> {
    const uri = this.file();
    if (uri === undefined) {
      return { uri: '', row: -1 };
    }
    const h = parseVirtual(vscode.window.activeTextEditor!.document.uri) && (await this.hunk());
    return { uri, row: h ? this.changes.row(h) : vscode.window.activeTextEditor!.selection.active.line };
  }

  private async update(): Promise<void> {
    const h = this.any ? await this.hunk() : undefined;
    this.set('emendo.hasPending', this.changes.store.pendingCount > 0);
    this.set('emendo.hasHunks', this.any);
    this.set('emendo.hunkAtCursor', h !== undefined);
    this.set('emendo.acceptedAtCursor', h === undefined && this.accepted() !== undefined);
  }

  private set(key: string, value: boolean): void {
    if (this.keys[key] !== value) {
      this.keys[key] = value;
      void vscode.commands.executeCommand('setContext', key, value);
    }
  }
}

/** The row of the cursor. Where lines are selected, the cursor is at the start of the next, which is not meant. */
export function rowOf({ active, start }: vscode.Selection): number {
  return active.character === 0 && active.line > start.line ? active.line - 1 : active.line;
}
