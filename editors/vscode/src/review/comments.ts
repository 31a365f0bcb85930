import * as vscode from 'vscode';
import type { ChatViews } from '../chat/views';
import type { Server } from '../server/server';
import type { Text } from '../shared/view';
import type { Range, SessionInfo } from '../shared/wire';
import { words } from '../shared/words';
import { registerCommands } from '../told';

/** What the user says about lines, as docs/protocol.md has it. */
interface Said {
  id: string;
  uri: string;
  range: Range;
  text: string;
  /** The round in which it was sent; one that waits has none. */
  round?: number;
  stale?: true;
  note?: Text;
}

/** A comment in a thread; without an ID the server does not have it. */
interface Remark extends vscode.Comment {
  id: string | undefined;
  thread: vscode.CommentThread;
  /** The text as it was before it was edited. */
  kept: string;
}

/**
 * Comments on lines, in threads of VS Code's own: those that wait until all are sent as one
 * prompt, in the session that the chat shows, and those that were sent last.
 */
export class Comments implements vscode.Disposable {
  private readonly controller = vscode.comments.createCommentController('emendo.comments', 'Emendo');
  /** What is shown, by the comment's ID. */
  private readonly shown = new Map<string, Remark>();
  /** The comments of sessions that are open. */
  private readonly known = new Map<string, Said[]>();
  private waits = false;
  private readonly disposables: vscode.Disposable[];

  constructor(
    private readonly server: Server,
    private readonly views: ChatViews,
    log: vscode.LogOutputChannel,
  ) {
    this.controller.options = { prompt: vscode.l10n.t(words.commentPrompt), placeHolder: vscode.l10n.t(words.commentHint) };
    this.controller.commentingRangeProvider = {
      provideCommentingRanges: (document) =>
        vscode.workspace.getWorkspaceFolder(document.uri) && document.uri.scheme === 'file' ? [new vscode.Range(0, 0, document.lineCount - 1, 0)] : undefined,
    };
    this.disposables = [
      this.controller,
      server.onNotification<{ sessionId: string; comments: Said[] }>('emendo/comment/didChange', ({ sessionId, comments }) => {
        this.known.set(sessionId, comments);
        this.follow();
      }),
      views.onDidChange(() => this.follow()),
      registerCommands(log, {
        'emendo.comment': () => vscode.commands.executeCommand('workbench.action.addComment'),
        'emendo.addComment': ({ thread, text }: vscode.CommentReply) => this.add(thread, text),
        'emendo.editComment': (remark: Remark) => this.show(remark, vscode.CommentMode.Editing),
        'emendo.saveComment': (remark: Remark) => this.save(remark),
        'emendo.cancelComment': (remark: Remark) => this.cancel(remark),
        'emendo.removeComment': (remark: Remark) => this.remove(remark),
        'emendo.sendComments': () => this.send(),
      }),
    ];
  }

  dispose(): void {
    vscode.Disposable.from(...this.disposables).dispose();
  }

  /** Shows the comments of the session that the chat shows now. */
  private follow(): void {
    this.draw(this.known.get(this.views.sessionId ?? '') ?? []);
  }

  /** Draws what waits, and what was sent last. A text that is being edited stays. */
  private draw(comments: Said[]): void {
    const last = Math.max(0, ...comments.map(({ round = 0 }) => round));
    const drawn = comments.filter(({ round = last }) => round === last);
    for (const [id, { thread, mode }] of this.shown) {
      if (mode !== vscode.CommentMode.Editing && !drawn.some((said) => said.id === id)) {
        thread.dispose();
        this.shown.delete(id);
      }
    }
    for (const said of drawn) {
      this.place(said);
    }
    const waits = drawn.some(({ round }) => round === undefined);
    if (waits !== this.waits) {
      this.waits = waits;
      void vscode.commands.executeCommand('setContext', 'emendo.comments', waits);
    }
  }

  private place({ id, uri, range: { start, end }, text, round, note }: Said): void {
    // Whole lines: the range of a thread ends in the last of them.
    const range = new vscode.Range(start.line, 0, Math.max(start.line, end.character === 0 ? end.line - 1 : end.line), 0);
    const known = this.shown.get(id);
    const thread = known?.thread ?? this.controller.createCommentThread(vscode.Uri.parse(uri), range, []);
    if (!known) {
      thread.collapsibleState = vscode.CommentThreadCollapsibleState.Expanded;
    }
    if (!thread.range?.isEqual(range)) {
      thread.range = range;
    }
    const sent = round !== undefined;
    thread.label = note?.text ?? vscode.l10n.t(words.commentWaits);
    thread.contextValue = sent ? 'emendo.sent' : 'emendo.waits';
    thread.state = sent ? vscode.CommentThreadState.Resolved : vscode.CommentThreadState.Unresolved;
    if (sent && known?.contextValue === 'emendo.waits') {
      thread.collapsibleState = vscode.CommentThreadCollapsibleState.Collapsed;
    }
    if (known?.mode !== vscode.CommentMode.Editing) {
      this.show(remarkOf(thread, id, text, sent));
    }
  }

  /** Shows a comment in its thread, to be read or to be edited. */
  private show(remark: Remark, mode = vscode.CommentMode.Preview): void {
    const now = { ...remark, mode };
    now.thread.comments = [now];
    if (now.id !== undefined) {
      this.shown.set(now.id, now);
    }
  }

  /** Takes what the user wrote in a new thread, or below another comment. If that is not possible it stays, and can be saved again. */
  private async add(at: vscode.CommentThread, text: string): Promise<void> {
    const thread = at.comments.length > 0 ? this.controller.createCommentThread(at.uri, at.range!, []) : at;
    this.show(remarkOf(thread, undefined, text, false), vscode.CommentMode.Editing);
    await this.save(thread.comments[0] as Remark);
  }

  private async save(remark: Remark): Promise<void> {
    const { thread, id } = remark;
    const text = bodyOf(remark).trim();
    if (text === '') {
      throw new Error(vscode.l10n.t(words.commentEmpty));
    }
    if (id !== undefined) {
      await this.server.request('emendo/comment/edit', { id, text });
      this.show({ ...remark, kept: text, body: text });
      return;
    }
    const sessionId = this.views.sessionId ?? (await this.begin());
    const { start, end } = thread.range!;
    const document = await vscode.workspace.openTextDocument(thread.uri);
    const range: Range = { start: { line: start.line, character: 0 }, end: document.lineAt(end.line).range.end };
    const added = await this.server.request<{ id: string }>('emendo/comment/add', { sessionId, uri: thread.uri.toString(), range, text });
    const drawn = this.shown.get(added.id);
    if (drawn && drawn.thread !== thread) {
      thread.dispose(); // the server's word of it came first
      return;
    }
    this.show(remarkOf(thread, added.id, text, false));
  }

  /** Begins a session for comments, and shows it. */
  private async begin(): Promise<string> {
    const { session } = await this.server.request<{ session: SessionInfo }>('emendo/session/new', {});
    await this.views.send({ type: 'show', sessionId: session.sessionId }, false);
    return session.sessionId;
  }

  private cancel(remark: Remark): void {
    if (remark.id === undefined) {
      remark.thread.dispose();
    } else {
      this.show({ ...remark, body: remark.kept });
    }
  }

  private async remove({ id, thread }: Remark): Promise<void> {
    if (id !== undefined) {
      await this.server.request('emendo/comment/remove', { id });
      this.shown.delete(id);
    }
    thread.dispose();
  }

  private async send(): Promise<void> {
    const { sessionId } = this.views;
    if (sessionId === undefined) {
      throw new Error(vscode.l10n.t(words.noComments));
    }
    for (const remark of this.shown.values()) {
      if (remark.mode === vscode.CommentMode.Editing) {
        await this.save(remark);
      }
    }
    await this.views.reveal(sessionId, false);
    await this.server.request('emendo/comment/send', { sessionId });
  }
}

function remarkOf(thread: vscode.CommentThread, id: string | undefined, text: string, sent: boolean): Remark {
  return { id, thread, kept: text, body: text, mode: vscode.CommentMode.Preview, author: { name: vscode.l10n.t(words.commentBy) }, contextValue: sent ? 'emendo.sent' : 'emendo.waits' };
}

function bodyOf({ body }: Remark): string {
  return typeof body === 'string' ? body : body.value;
}
