import * as vscode from 'vscode';
import type { ServerViews } from './server/views';
import type { Question } from './shared/view';

/**
 * The questions that the server waits for, as the window's view has them. Whoever
 * answers first, a view, a notice or a command, takes them away everywhere.
 */
export class Questions implements vscode.Disposable {
  private readonly asking = new vscode.EventEmitter<Question>();
  readonly onDidAsk = this.asking.event;
  private readonly closing = new vscode.EventEmitter<string>();
  /** Fires with the id of a question that was answered or withdrawn. */
  readonly onDidClose = this.closing.event;
  private readonly changes = new vscode.EventEmitter<void>();
  /** Fires after `all` has changed. */
  readonly onDidChange = this.changes.event;

  private open: readonly Question[] = [];
  private seen: readonly Question[] = [];
  private readonly disposables: vscode.Disposable[];

  constructor(private readonly views: ServerViews) {
    this.disposables = [this.asking, this.closing, this.changes, views.onDidChange(() => this.update())];
  }

  /** The questions that are open, the oldest first. */
  get all(): readonly Question[] {
    return this.open;
  }

  /** The question with an id, while it is open. */
  find(id: string): Question | undefined {
    return this.open.find((question) => question.id === id);
  }

  /** Answers a question by one of its options. */
  async answer(id: string, actionId: string): Promise<void> {
    await this.views.act({ id, actionId, version: this.views.window.version });
  }

  dispose(): void {
    this.disposables.forEach((disposable) => disposable.dispose());
  }

  private update(): void {
    const before = this.open;
    const { questions } = this.views.window;
    if (questions === this.seen) {
      return;
    }
    this.seen = questions;
    const now = questions.filter(({ code }) => code !== 'delete_session'); // it stands in the list of a view
    this.open = now;
    for (const { id } of before) {
      if (!now.some((question) => question.id === id)) {
        this.closing.fire(id);
      }
    }
    for (const question of now) {
      if (!before.some(({ id }) => id === question.id)) {
        this.asking.fire(question);
      }
    }
    this.changes.fire();
  }
}
