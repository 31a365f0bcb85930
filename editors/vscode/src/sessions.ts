import * as vscode from 'vscode';
import type { ChatViews } from './chat/views';
import { SessionNews, type News } from './news';
import { notifies } from './notify';
import type { Questions } from './questions';
import type { Server } from './server/server';
import type { SessionInfo, SessionUpdate } from './shared/wire';
import { visibleLine } from './shared/visible';
import { tell } from './tell';

const stored = 'emendo.unread';
/** More unread sessions are not remembered. */
const most = 200;

/**
 * Follows the sessions that no view shows: tells the user of those that finish
 * or wait, and remembers which have something new.
 */
export class Sessions implements vscode.Disposable {
  private readonly news = new SessionNews();
  private ids: Set<string>;
  private readonly disposables: vscode.Disposable[] = [];

  constructor(
    private readonly memory: vscode.Memento,
    server: Server,
    private readonly questions: Questions,
    private readonly views: ChatViews,
  ) {
    this.ids = new Set(memory.get<string[]>(stored, []));
    this.disposables.push(
      server.onNotification<{ session: SessionInfo }>('emendo/sessions/didChange', ({ session }) =>
        this.tell(session.sessionId, this.news.changed(session, this.asks(session.sessionId))),
      ),
      server.onNotification<SessionUpdate>('emendo/session/update', ({ sessionId, replay, update }) => {
        if (update.sessionUpdate === '_emendo/turn_ended' && replay !== true) {
          this.tell(sessionId, this.news.turnEnded(sessionId, update.stopReason));
        }
      }),
      questions.onDidAsk(({ from, sessionId }) => !from && sessionId !== undefined && this.note(sessionId)),
      views.onDidChange(() => this.read()),
    );
  }

  /** The sessions that have something new since a view showed them. */
  get unread(): string[] {
    return [...this.ids];
  }

  dispose(): void {
    for (const disposable of this.disposables) {
      disposable.dispose();
    }
  }

  private asks(sessionId: string): boolean {
    return this.questions.all.some((question) => question.sessionId === sessionId);
  }

  private tell(sessionId: string, news: News | undefined): void {
    if (news === undefined) {
      return;
    }
    this.note(sessionId);
    if (notifies(this.views.shows(sessionId))) {
      void this.notify(sessionId, news);
    }
  }

  private async notify(sessionId: string, news: News): Promise<void> {
    const show = vscode.l10n.t('Show');
    const text = this.sentence(sessionId, news);
    const chosen = await (news === 'finished' ? tell('info', text, show) : tell('warning', text, show));
    if (chosen === show) {
      await this.views.reveal(sessionId, true);
    }
  }

  private sentence(sessionId: string, news: News): string {
    const info = this.news.info(sessionId);
    const title = visibleLine(info?.title ?? '') || vscode.l10n.t('Untitled session');
    switch (news) {
      case 'finished':
        return vscode.l10n.t('Emendo has finished: {0}', title);
      case 'failed':
        return vscode.l10n.t('Emendo has stopped with an error: {0}', title);
      case 'review':
        return vscode.l10n.t('Emendo waits for you to review its edits: {0}', title);
    }
  }

  private note(sessionId: string): void {
    if (!this.views.shows(sessionId) && !this.ids.has(sessionId)) {
      this.set([...this.ids, sessionId].slice(-most));
    }
  }

  private read(): void {
    const left = this.unread.filter((sessionId) => !this.views.shows(sessionId));
    if (left.length < this.ids.size) {
      this.set(left);
    }
  }

  private set(ids: string[]): void {
    this.ids = new Set(ids);
    void this.memory.update(stored, ids);
    this.views.post({ type: 'unread', sessions: ids });
  }
}

/** Sets up what is about all sessions, and its commands. */
export function registerSessions(context: vscode.ExtensionContext, server: Server, questions: Questions, views: ChatViews): Sessions {
  const sessions = new Sessions(context.workspaceState, server, questions, views);
  context.subscriptions.push(
    sessions,
    vscode.commands.registerCommand('emendo.sessions', () => views.send({ type: 'do', what: 'sessions' }, true)),
  );
  return sessions;
}
