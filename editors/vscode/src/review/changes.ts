import * as vscode from 'vscode';
import type { Server } from '../server/server';
import type { ServerViews } from '../server/views';
import type { Range } from '../shared/wire';
import { HunkStore, type ReviewHunk } from './store';
import { Typed } from './typed';

/** A hunk in an open document. */
export interface PlacedHunk {
  h: ReviewHunk;
  /** The first row that it covers, from zero. It is the number of lines for an insertion after the last one. */
  row: number;
  /** How many rows it covers: none for an insertion. */
  rows: number;
}

/** Returns a URI as VS Code spells it. */
function spell(uri: string): string {
  return vscode.Uri.parse(uri).toString();
}

/**
 * The hunks of the window's view, and where they are in open documents while the
 * user types.
 */
export class Changes implements vscode.Disposable {
  readonly store = new HunkStore(spell);
  private readonly changing = new vscode.EventEmitter<Set<string>>();
  /** Fires with the URIs of files whose hunks changed, at most once a frame. */
  readonly onDidChange = this.changing.event;
  private readonly typed = new Map<string, Typed>(); // by the URI of a document that is open
  private readonly placedBy = new Map<string, PlacedHunk[]>(); // by URI, until something moves
  private changed = new Set<string>();
  private timer: NodeJS.Timeout | undefined;
  private lost = new Set<string>(); // sessions that had hunks when the server ended
  private readonly disposables: vscode.Disposable[];

  /** `reload` loads sessions again whose hunks the server forgot when it ended. */
  constructor(
    private readonly server: Server,
    private readonly views: ServerViews,
    reload: (sessions: Set<string>) => void,
  ) {
    this.disposables = [
      this.changing,
      views.onDidChange(({ sessionId }) => sessionId === undefined && this.take()),
      server.onDidChangeState(({ state }) => {
        if (state === 'running') {
          reload(this.lost);
          this.lost = new Set();
        }
      }),
      vscode.workspace.onDidChangeTextDocument((event) => this.follow(event)),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.typed.delete(uri.toString())),
    ];
  }

  dispose(): void {
    clearTimeout(this.timer);
    vscode.Disposable.from(...this.disposables).dispose();
  }

  /** Whether a server runs: without one no hunk is known, and none was decided. */
  get known(): boolean {
    return this.server.state.state === 'running';
  }

  /** Returns a document's hunks, by row. */
  placed(document: vscode.TextDocument): PlacedHunk[] {
    const uri = document.uri.toString();
    let placed = this.placedBy.get(uri);
    if (!placed) {
      placed = this.store.hunks(uri).map((h) => ({ h, row: this.row(h), rows: covered(h.range) }));
      placed.sort((a, b) => a.row - b.row);
      this.placedBy.set(uri, placed);
    }
    return placed;
  }

  /** Returns the row of a hunk: where it is in its document if that is open, else what the server says. */
  row({ uri, range, version }: ReviewHunk): number {
    return this.typed.get(uri)?.row(range.start.line, version) ?? range.start.line;
  }

  private take(): void {
    if (!this.known) {
      this.store.files.forEach(({ hunks }) => hunks.forEach(({ sessionId }) => sessionId !== undefined && this.lost.add(sessionId)));
    }
    const uris = this.store.take(this.views.window);
    for (const uri of uris) {
      this.placedBy.delete(uri);
      this.typed.get(uri)?.forget(Math.min(...this.store.hunks(uri).map(({ version = 0 }) => version)));
    }
    this.fire(uris);
  }

  private follow({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
    const uri = document.uri.toString();
    const edits = contentChanges.map(({ range, text }) => ({ start: range.start, end: range.end, lines: text.split(/\r\n|\r|\n/).length - 1 }));
    const typed = this.typed.get(uri) ?? new Typed();
    if (typed.add(document.version, edits)) {
      this.typed.set(uri, typed);
      if (this.placedBy.delete(uri) || this.store.file(uri)) {
        this.fire(new Set([uri]));
      }
    }
  }

  private fire(uris: ReadonlySet<string>): void {
    if (uris.size === 0) {
      return;
    }
    for (const uri of uris) {
      this.changed.add(uri);
    }
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      const changed = this.changed;
      this.changed = new Set();
      this.changing.fire(changed);
    }, frame);
  }
}

const frame = 16; // ms

/** Counts the rows that a range of whole lines covers. The last may be without a line end. */
export function covered({ start, end }: Range): number {
  return end.line - start.line + Number(end.character > 0);
}
