import * as vscode from 'vscode';
import type { Steps } from '../chat/steps';
import type { ServerViews } from '../server/views';
import { ordered } from '../shared/fold';
import type { Action, Item } from '../shared/view';
import { tell } from '../tell';

interface Choice extends vscode.MessageItem {
  action?: Action;
}

/** The tasks that run beside the conversations; the others are seen in their conversation. */
const beside: ReadonlySet<string | undefined> = new Set(['edit', 'commit']);

/** Shows the window's tasks and messages: a notice while a task runs, what it came to if that has to be read, and each message. */
export class Notices implements vscode.Disposable {
  private readonly waits = new vscode.EventEmitter<Item>();
  /** Fires when the edits of a task wait for the user. */
  readonly onDidPropose = this.waits.event;
  /** How the tasks and messages stand that are shown. */
  private states = new Map<string, string | undefined>();
  /** End the notices of those that run. */
  private readonly running = new Map<string, () => void>();
  private readonly disposables: vscode.Disposable[];

  constructor(
    private readonly views: ServerViews,
    private readonly steps: Steps,
    private readonly log: vscode.LogOutputChannel,
  ) {
    this.disposables = [this.waits, views.onDidChange(({ sessionId }) => sessionId === undefined && this.update())];
  }

  dispose(): void {
    this.disposables.forEach((disposable) => disposable.dispose());
    this.running.forEach((end) => end());
  }

  private update(): void {
    const items = [...ordered(this.views.window)].filter(({ kind, id }) => kind === 'task' || id.startsWith('message-'));
    const before = this.states;
    this.states = new Map(items.map((item) => [item.id, standing(item)]));
    for (const [id, end] of this.running) {
      if (this.states.get(id) !== 'running') {
        this.running.delete(id);
        end();
      }
    }
    for (const item of items.filter((item) => !before.has(item.id) || before.get(item.id) !== standing(item))) {
      if (item.kind === 'task') {
        this.changed(item);
      } else {
        void this.tell(item);
      }
    }
  }

  private changed(task: Item): void {
    switch (task.state) {
      case 'running':
        if (beside.has(task.look)) {
          this.show(task);
        }
        break;
      case 'waiting':
        this.waits.fire(task);
        break;
      case 'done':
      case 'failed':
        void this.tell(task);
        break;
    }
  }

  private show({ id, title }: Item): void {
    void vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title: title.text, cancellable: true }, (_progress, token) => {
      token.onCancellationRequested(() => this.act(id, 'stop'));
      return new Promise<void>((resolve) => this.running.set(id, resolve));
    });
  }

  /** Tells what a task came to, or a message, which goes when it has been read. */
  private async tell({ id, state, look, title, note, parts = [], actions = [] }: Item): Promise<void> {
    const answer = parts.map(({ text = '' }) => text).join(' ').trim().replace(/\s+/g, ' ').slice(0, 400);
    const choices = actions.flatMap((action): Choice[] => (typeof action === 'string' ? [] : [{ title: action.title.text, action }]));
    const text = [title.text.replace(/[^.!?…:]$/, '$&.'), note?.text, answer].filter((part) => part).join(' ');
    const severity = state === 'failed' || look === 'warning' ? 'warning' : look === 'error' ? 'error' : 'info';
    const chosen = await tell(severity, text, ...choices);
    if (chosen?.action) {
      this.act(id, chosen.action.id);
    }
    this.act(id, 'dismiss');
  }

  private act(id: string, actionId: string): void {
    this.views
      .act({ id, actionId, version: this.views.window.version })
      .then(({ steps = [] }) => this.steps.run(steps))
      .catch((error: unknown) => this.log.debug(`${actionId} of a task: ${String(error)}`)); // it is over
  }
}

/** What has to change of an item for it to be told again: a message that is said once more has another time. */
function standing({ kind, state, at }: Item): string | undefined {
  return kind === 'task' ? state : at;
}
