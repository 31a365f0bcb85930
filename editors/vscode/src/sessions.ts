import * as vscode from 'vscode';
import type { ChatViews } from './chat/views';
import { notifies } from './notify';
import type { Questions } from './questions';
import type { Server } from './server/server';
import type { Text } from './shared/view';
import type { SessionInfo } from './shared/wire';
import { tell } from './tell';

const stored = 'emendo.unread';
/** More unread sessions are not remembered. */
const most = 200;

/**
 * Follows the sessions that no view shows: tells the user of those that finish
 * or wait, and remembers which have something new.
 */
export class Sessions implements vscode.Disposable {
  private ids: Set<string>;
  private readonly disposables: vscode.Disposable[] = [];

  constructor(
    private readonly memory: vscode.Memento,
    server: Server,
    questions: Questions,
    private readonly views: ChatViews,
  ) {
    this.ids = new Set(memory.get<string[]>(stored, []));
    this.disposables.push(
      server.onNotification<{ session: SessionInfo; news?: Text }>('emendo/sessions/didChange', ({ session, news }) => news && this.tell(session.sessionId, news)),
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

  private tell(sessionId: string, news: Text): void {
    this.note(sessionId);
    if (news.code !== 'news.asks' && notifies(this.views.shows(sessionId))) { // a question has a notice of its own
      void this.notify(sessionId, news);
    }
  }

  private async notify(sessionId: string, { text, code }: Text): Promise<void> {
    const show = vscode.l10n.t('Show');
    if ((await tell(code === 'news.done' ? 'info' : 'warning', text, show)) === show) {
      await this.views.reveal(sessionId, true);
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
