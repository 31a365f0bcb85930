import * as vscode from 'vscode';
import { visible } from '../shared/visible';
import { words } from '../shared/words';
import type { Changes, PlacedHunk } from './changes';
import type { ReviewHunk } from './store';
import { drawnEditors, onDidChangeDrawnEditors } from './editors';
import { lineBeside, linesOf } from './rows';

/** In a file with more pending hunks only the new text of the one at the cursor is shown. */
const maxThreads = 20;

/**
 * The new text of hunks, as code below the lines that it replaces. A comment
 * thread is the only part of the API that puts lines between an editor's lines.
 */
export class Threads implements vscode.Disposable {
  private controller: vscode.CommentController | undefined;
  private readonly shown = new Map<string, { thread: vscode.CommentThread; text: string }>();
  private readonly ids = new WeakMap<vscode.CommentThread, string>();
  private readonly disposables: vscode.Disposable[];

  constructor(private readonly changes: Changes) {
    this.disposables = [
      changes.onDidChange((uris) => this.update(uris)),
      onDidChangeDrawnEditors(() => this.update()),
      vscode.window.onDidChangeActiveColorTheme(() => this.recolour()),
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => {
        const uri = textEditor.document.uri.toString();
        if (changes.store.hunks(uri, 'pending').length > maxThreads) {
          this.update(new Set([uri]));
        }
      }),
    ];
  }

  dispose(): void {
    this.controller?.dispose();
    vscode.Disposable.from(...this.disposables).dispose();
  }

  /** Returns the ID of the hunk that a thread shows. */
  hunkOf(thread: vscode.CommentThread): string | undefined {
    return this.ids.get(thread);
  }

  /** Shows what visible editors need, and removes what is decided. */
  private update(uris?: Set<string>): void {
    const wanted = new Set<string>();
    for (const editor of drawnEditors()) {
      for (const at of this.wanted(editor)) {
        wanted.add(at.h.id);
        this.show(editor.document, at);
      }
    }
    for (const [id, { thread }] of this.shown) {
      const h = this.changes.store.hunk(id);
      const stale = h?.state !== 'pending' || uris === undefined || uris.has(h.uri);
      if (stale && !wanted.has(id)) {
        thread.dispose();
        this.shown.delete(id);
      }
    }
  }

  /** Has the code highlighted again: its colours are those of the theme that it was shown in first. */
  private recolour(): void {
    for (const { thread } of this.shown.values()) {
      thread.comments = thread.comments.map((comment) => ({ ...comment }));
    }
  }

  private wanted({ document, selection }: vscode.TextEditor): PlacedHunk[] {
    const placed = this.changes.placed(document).filter(({ h }) => h.state === 'pending' && h.file.look === 'modify' && newText(h) !== '');
    if (placed.length <= maxThreads) {
      return placed.filter(({ h }) => lineBeside(h) === undefined);
    }
    return placed.filter((at) => covers(at, selection.active.line)).slice(0, 1);
  }

  private show(document: vscode.TextDocument, { h, row, rows }: PlacedHunk): void {
    const last = document.lineCount - 1;
    // Below the last old line; an insertion is below the line before it.
    const below = Math.min(rows === 0 ? Math.max(row - 1, 0) : row + rows - 1, last);
    const range = new vscode.Range(below, 0, below, 0);
    const text = newText(h);
    const known = this.shown.get(h.id);
    if (known) {
      if (!known.thread.range?.isEqual(range)) {
        known.thread.range = range;
      }
      if (known.text !== text) {
        known.text = text;
        known.thread.comments = [comment(text, document.languageId)];
      }
      return;
    }
    this.controller ??= vscode.comments.createCommentController('emendo', 'Emendo');
    const thread = this.controller.createCommentThread(document.uri, range, [comment(text, document.languageId)]);
    thread.canReply = false;
    thread.contextValue = 'emendo.hunk';
    thread.label = vscode.l10n.t(rows === 0 && row === 0 ? words.newTextAbove : words.newText, h.label.text);
    thread.collapsibleState = vscode.CommentThreadCollapsibleState.Expanded;
    this.shown.set(h.id, { thread, text });
    this.ids.set(thread, h.id);
  }
}

/** Reports whether a row is in a hunk; an insertion has the rows beside it. */
export function covers({ row, rows }: PlacedHunk, at: number): boolean {
  return rows === 0 ? at === row || at === row - 1 : row <= at && at < row + rows;
}

function newText({ rows = [] }: ReviewHunk): string {
  return linesOf(rows, '+').join('\n');
}

function comment(text: string, language: string): vscode.Comment {
  const code = visible(text);
  const longest = Math.max(2, ...(code.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longest + 1);
  const body = new vscode.MarkdownString(`${fence}${language}\n${code}\n${fence}`);
  return { body, mode: vscode.CommentMode.Preview, author: { name: 'Emendo' } };
}
