import * as vscode from 'vscode';
import type { ChatViews } from './chat/views';
import { notifies } from './notify';
import { onceOptions, sentence } from './notices';
import type { Questions } from './questions';
import type { Action, Question } from './shared/view';
import { tell } from './tell';
import { words } from './shared/words';

interface Choice extends vscode.MessageItem {
  option?: Action;
}

/**
 * Tells the user of questions that no view shows: by a notice that takes no
 * focus, by the badge of the view's icon, and by commands that answer.
 */
class Approvals implements vscode.Disposable {
  private readonly disposables: vscode.Disposable[] = [];
  /** The question of each session that a notice stands for; that of none has the empty one. */
  private readonly standing = new Map<string, string>();
  /** The questions that a notice was shown for, or that need none any more. */
  private readonly noticed = new Set<string>();
  private badged: vscode.WebviewView | undefined;

  constructor(
    private readonly questions: Questions,
    private readonly views: ChatViews,
    private readonly log: vscode.LogOutputChannel,
  ) {
    this.disposables.push(
      questions.onDidChange(() => this.update()),
      questions.onDidClose((question) => this.closed(question)),
      views.onDidChange(() => this.update()),
    );
  }

  dispose(): void {
    for (const disposable of this.disposables) {
      disposable.dispose();
    }
  }

  /** Shows a question, by default the oldest, and puts the focus on its card. */
  async focus(id?: string): Promise<void> {
    const question = id === undefined ? this.next() : this.questions.find(id);
    if (!question) {
      this.tellNone();
      return;
    }
    if (!question.from && question.sessionId !== undefined) {
      await this.views.reveal(question.sessionId, true);
    }
    await this.views.send({ type: 'do', what: 'focusQuestion' }, true);
  }

  /**
   * Offers the answers to the question that is next in a list. Only what the list
   * shows in full can be answered there; the rest is shown in the view.
   */
  async choose(): Promise<void> {
    const question = this.next();
    if (!question || onceOptions(question).length === 0) {
      await this.focus();
      return;
    }
    const pick = vscode.window.createQuickPick<vscode.QuickPickItem & { option?: Action }>();
    pick.title = sentence(question);
    pick.placeholder = vscode.l10n.t(words.chooseAnswer);
    pick.items = [
      { label: vscode.l10n.t(words.showQuestion) }, // stands first, so that Enter alone decides nothing
      ...question.options.filter(({ fields }) => !fields).map((option) => ({ label: option.title.text, option })),
    ];
    const closed = this.questions.onDidClose((id) => id === question.id && pick.hide());
    pick.onDidHide(() => {
      closed.dispose();
      pick.dispose();
    });
    pick.onDidAccept(() => {
      const [item] = pick.selectedItems;
      pick.hide();
      void this.take(question, item?.option);
    });
    pick.show();
  }

  /** The question to answer next: the oldest of the session that is shown, else the oldest of all. */
  private next(): Question | undefined {
    const all = this.questions.all;
    return all.find(({ from, sessionId }) => from || sessionId === undefined || sessionId === this.views.sessionId) ?? all[0];
  }

  private update(): void {
    const open = this.questions.all;
    this.badge(open.length);
    void vscode.commands.executeCommand('setContext', 'emendo.asks', open.length > 0);
    for (const question of open) {
      const { id, from, sessionId = '' } = question;
      const shown = sessionId === '' ? this.views.visible : !from && this.views.shows(sessionId);
      if (!this.standing.has(sessionId) && !this.noticed.has(id) && notifies(shown)) {
        this.notify(question).catch((error: unknown) => this.log.error(`notice: ${String(error)}`));
      }
    }
  }

  private badge(count: number): void {
    const view = this.views.sideView;
    if (view && (this.badged !== view || (view.badge?.value ?? 0) !== count)) {
      this.badged = view;
      const tooltip = this.questions.all.map(({ brief }) => brief.text).join('\n');
      view.badge = count === 0 ? undefined : { value: count, tooltip };
    }
  }

  private async notify(question: Question): Promise<void> {
    const { id, sessionId = '' } = question;
    this.standing.set(sessionId, id);
    this.noticed.add(id);
    const show: Choice = { title: vscode.l10n.t('Show') };
    const choices = onceOptions(question).map((option): Choice => ({ title: option.title.text, option }));
    const chosen = await tell('warning', sentence(question), show, ...choices);
    if (this.standing.get(sessionId) === id) {
      this.standing.delete(sessionId);
    }
    if (!chosen) {
      // A user who closes the notice does not want the next one at once.
      for (const other of this.questions.all) {
        if ((other.sessionId ?? '') === sessionId) {
          this.noticed.add(other.id);
        }
      }
      return;
    }
    await this.take(question, chosen.option);
    this.update();
  }

  /** Gives an answer, or without one shows the question. */
  private async take({ id }: Question, option: Action | undefined): Promise<void> {
    if (option) {
      await this.questions.answer(id, option.id).catch((error: unknown) => tell('warning', error instanceof Error ? error.message : String(error)));
    } else {
      void this.focus(id);
    }
  }

  private closed(question: string): void {
    this.noticed.delete(question);
    for (const [sessionId, standing] of this.standing) {
      if (standing === question) {
        this.standing.delete(sessionId); // VS Code has no way to take the notice away
      }
    }
  }

  private tellNone(): void {
    void tell('info', vscode.l10n.t(words.noQuestion));
  }
}

/** Sets up everything by which questions are noticed and answered outside of the views. */
export function registerApprovals(questions: Questions, views: ChatViews, log: vscode.LogOutputChannel): vscode.Disposable {
  const approvals = new Approvals(questions, views, log);
  return vscode.Disposable.from(
    approvals,
    vscode.commands.registerCommand('emendo.focusQuestion', () => approvals.focus()),
    vscode.commands.registerCommand('emendo.answerQuestion', () => approvals.choose()),
  );
}
