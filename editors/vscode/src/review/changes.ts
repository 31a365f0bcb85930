import * as vscode from 'vscode';
import type { ChangeSet, ChangesDidChange, HunkState, SessionUpdate, Status } from '../shared/wire';
import type { Server } from '../server/server';
import { Follower } from './follow';
import { countLines } from './lines';
import { ChangeStore, type ReviewHunk } from './store';

/** A hunk in an open document. */
export interface PlacedHunk {
  h: ReviewHunk;
  /** The first row that it covers, from zero. It is the number of lines for an insertion after the last one. */
  row: number;
  /** How many rows it covers: none for an insertion. */
  rows: number;
}

/** What is shown of a document's hunks. */
export const shownStates: readonly (HunkState | 'applied')[] = ['pending', 'conflicted', 'applied'];

/** What is followed in a document: an accepted hunk can be undone where it is. */
const followedStates: readonly (HunkState | 'applied')[] = [...shownStates, 'accepted'];

/** Returns a URI as VS Code spells it. */
export function spell(uri: string): string {
  return vscode.Uri.parse(uri).toString();
}

/** The text that is in a document at a hunk. */
export function standing(h: ReviewHunk): string {
  return h.hunk.state === 'accepted' ? h.hunk.newText : h.hunk.oldText;
}

/**
 * The change sets of the running server, and where their hunks are in open
 * documents while the user types.
 */
export class Changes implements vscode.Disposable {
  readonly store: ChangeStore;
  private readonly changing = new vscode.EventEmitter<Set<string>>();
  /** Fires with the URIs of files whose hunks changed, at most once a frame. */
  readonly onDidChange = this.changing.event;
  private readonly followers = new Map<string, Follower>();
  private readonly modes = new Map<string, string>();
  private readonly running = new Set<string>(); // turns
  private readonly placedBy = new Map<string, PlacedHunk[]>(); // by URI and states, until something moves
  private changed = new Set<string>();
  private timer: NodeJS.Timeout | undefined;
  private readonly disposables: vscode.Disposable[] = [this.changing];

  constructor(
    private readonly server: Server,
    private readonly log: vscode.LogOutputChannel,
    private readonly reload: (sessions: string[]) => void,
  ) {
    this.store = new ChangeStore({
      spell,
      missed: (changeSetId) => void this.get(changeSetId),
      appliesAlone: ({ sessionId, turnId }) =>
        sessionId !== undefined && turnId !== undefined && this.running.has(turnId) && ['auto_edit', 'yolo'].includes(this.modes.get(sessionId) ?? ''),
    });
    this.store.onChange((uris) => this.update(uris));
    this.disposables.push(
      server.onNotification<ChangesDidChange>('emendo/changes/didChange', (params) => this.store.notified(params)),
      server.onNotification<Status>('emendo/status', ({ sessionId, mode }) => {
        if (sessionId !== undefined && mode !== undefined) {
          this.modes.set(sessionId, mode);
        }
      }),
      server.onNotification<SessionUpdate>('emendo/session/update', (update) => this.followTurn(update)),
      server.onDidChangeState(({ state }) => this.serverChanged(state)),
      vscode.workspace.onDidChangeTextDocument((event) => this.typed(event)),
      vscode.workspace.onDidOpenTextDocument((document) => this.update(new Set([document.uri.toString()]))),
      vscode.workspace.onDidCloseTextDocument((document) => this.followers.delete(document.uri.toString())),
    );
  }

  dispose(): void {
    clearTimeout(this.timer);
    vscode.Disposable.from(...this.disposables).dispose();
  }

  /** Returns a document's hunks in these states, by row. */
  placed(document: vscode.TextDocument, states = shownStates): PlacedHunk[] {
    const uri = document.uri.toString();
    const key = `${uri}\0${states.join()}`;
    let placed = this.placedBy.get(key);
    if (!placed) {
      placed = this.store
        .hunks(uri, states)
        .map((h) => ({ h, row: this.row(h), rows: countLines(standing(h)) }))
        .sort((a, b) => a.row - b.row);
      this.placedBy.set(key, placed);
    }
    return placed;
  }

  /** Reports whether any hunk is pending, applied or in conflict. */
  get any(): boolean {
    return this.store.uris.some((uri) => this.store.hunks(uri, shownStates).length > 0);
  }

  /** Returns the row of a hunk: where it is in its document if that is open, else what the server says. */
  row(h: ReviewHunk): number {
    return this.followers.get(h.uri)?.row(h.id) ?? h.hunk.range.start.line;
  }

  private async get(changeSetId: string): Promise<void> {
    try {
      const { changeSet } = await this.server.request<{ changeSet: ChangeSet }>('emendo/changes/get', { changeSetId });
      this.store.answered([changeSet]);
    } catch (error) {
      this.store.requestFailed(changeSetId);
      this.log.error(`read change set ${changeSetId}: ${String(error)}`);
    }
  }

  private followTurn({ sessionId, turnId, replay, update }: SessionUpdate): void {
    if (replay || turnId === undefined) {
      return;
    }
    if (update.sessionUpdate === '_emendo/turn_ended') {
      this.running.delete(turnId);
    } else if (!this.running.has(turnId)) {
      this.running.add(turnId);
      this.store.seen(sessionId);
    }
    if (update.sessionUpdate === 'current_mode_update') {
      this.modes.set(sessionId, update.currentModeId);
    }
  }

  private lost: string[] = []; // sessions that had pending hunks when the server ended

  private serverChanged(state: string): void {
    if (state === 'running') {
      this.reload(this.lost.splice(0));
      return;
    }
    const sessions = new Set(this.store.pending().flatMap(({ set }) => set.sessionId ?? []));
    if (sessions.size > 0) {
      this.lost = [...sessions];
    }
    this.running.clear();
    this.store.clear();
  }

  private typed({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
    const uri = document.uri.toString();
    const follower = this.followers.get(uri);
    if (!follower) {
      return;
    }
    const edits = contentChanges.map(({ range, text }) => ({ start: range.start, end: range.end, lines: text.split(/\r\n|\r|\n/).length - 1 }));
    edits.sort((a, b) => b.start.line - a.start.line || b.start.character - a.start.character);
    edits.forEach((edit) => follower.edit(edit));
    this.placedBy.clear();
    if (edits.some(({ start, end, lines }) => lines !== end.line - start.line)) {
      this.fire([uri]);
    }
  }

  /** Updates the rows of the open documents among these, and fires the event soon. */
  private update(uris: Set<string>): void {
    this.placedBy.clear();
    for (const document of vscode.workspace.textDocuments) {
      const uri = document.uri.toString();
      if (!uris.has(uri)) {
        continue;
      }
      const hunks = this.store.hunks(uri, followedStates);
      let follower = this.followers.get(uri);
      if (!follower && hunks.length > 0) {
        follower = new Follower();
        this.followers.set(uri, follower);
      }
      follower?.update(
        hunks.map((h) => ({ id: h.id, row: h.hunk.range.start.line, text: standing(h) })),
        { count: document.lineCount, line: (row) => document.lineAt(row).text },
      );
    }
    this.fire(uris);
  }

  private fire(uris: Iterable<string>): void {
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
