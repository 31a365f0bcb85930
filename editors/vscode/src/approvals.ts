import * as vscode from 'vscode';
import type { ChatViews } from './chat/views';
import type { HostHandlers } from './chat/host';
import { notifies } from './notify';
import { plainLine, reason, simpleOptions, subject } from './notices';
import type { Questions } from './questions';
import type { AskedQuestion } from './shared/messages';
import type { PermissionOption } from './shared/wire';
import { visibleLine } from './shared/visible';
import { tell } from './tell';

interface Choice extends vscode.MessageItem {
  option?: PermissionOption;
}

/**
 * Tells the user of questions that no view shows: by a notice that takes no
 * focus, by the badge of the view's icon, and by commands that answer.
 */
class Approvals implements vscode.Disposable {
  private readonly disposables: vscode.Disposable[] = [];
  /** The question of each session that a notice stands for. */
  private readonly standing = new Map<string, number>();
  /** The questions that a notice was shown for, or that need none any more. */
  private readonly noticed = new Set<number>();
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
  async focus(question?: number): Promise<void> {
    const asked = question === undefined ? this.next() : this.questions.find(question);
    if (!asked) {
      this.tellNone(question);
      return;
    }
    if (asked.aside === undefined) {
      await this.views.reveal(asked.request.sessionId, true);
    }
    await this.views.send({ type: 'do', what: 'focusQuestion' }, true);
  }

  /**
   * Offers the answers to the question that is next in a list. Only what the list
   * shows in full can be answered there; the rest is shown in the view.
   */
  async choose(): Promise<void> {
    const asked = this.next();
    if (!asked || asked.kind === 'elicit' || simpleOptions(asked).length === 0) {
      await this.focus();
      return;
    }
    const pick = vscode.window.createQuickPick<vscode.QuickPickItem & { option?: PermissionOption }>();
    pick.title = sentence(asked);
    pick.placeholder = vscode.l10n.t('Choose an answer');
    pick.items = [
      { label: vscode.l10n.t('Show the question') }, // stands first, so that Enter alone decides nothing
      ...asked.request.options.map((option) => ({ label: visibleLine(option.name), option })),
    ];
    const closed = this.questions.onDidClose((question) => question === asked.question && pick.hide());
    pick.onDidHide(() => {
      closed.dispose();
      pick.dispose();
    });
    pick.onDidAccept(() => {
      const [item] = pick.selectedItems;
      pick.hide();
      this.take(asked, item?.option);
    });
    pick.show();
  }

  /** The question to answer next: the oldest of the session that is shown, else the oldest of all. */
  private next(): AskedQuestion | undefined {
    const all = this.questions.all;
    return all.find(({ aside, request }) => aside !== undefined || request.sessionId === this.views.sessionId) ?? all[0];
  }

  private update(): void {
    const open = this.questions.all;
    this.badge(open.length);
    void vscode.commands.executeCommand('setContext', 'emendo.asks', open.length > 0);
    for (const asked of open) {
      const { sessionId } = asked.request;
      if (!this.standing.has(sessionId) && !this.noticed.has(asked.question) && notifies(asked.aside === undefined && this.views.shows(sessionId))) {
        this.notify(asked).catch((error: unknown) => this.log.error(`Show a question: ${String(error)}`));
      }
    }
  }

  private badge(count: number): void {
    const view = this.views.sideView;
    if (view && (this.badged !== view || (view.badge?.value ?? 0) !== count)) {
      this.badged = view;
      const tooltip = count === 1 ? vscode.l10n.t('Emendo waits for your answer') : vscode.l10n.t('Emendo waits for {0} answers', count);
      view.badge = count === 0 ? undefined : { value: count, tooltip };
    }
  }

  private async notify(asked: AskedQuestion): Promise<void> {
    const { sessionId } = asked.request;
    this.standing.set(sessionId, asked.question);
    this.noticed.add(asked.question);
    const show: Choice = { title: vscode.l10n.t('Show') };
    const choices = simpleOptions(asked).map((option): Choice => ({ title: visibleLine(option.name), option }));
    const chosen = await tell('warning', sentence(asked), show, ...choices);
    if (this.standing.get(sessionId) === asked.question) {
      this.standing.delete(sessionId);
    }
    if (!chosen) {
      // A user who closes the notice does not want the next one at once.
      for (const { question, request } of this.questions.all) {
        if (request.sessionId === sessionId) {
          this.noticed.add(question);
        }
      }
      return;
    }
    this.take(asked, chosen.option);
    this.update();
  }

  /** Gives an answer, or without one shows the question. */
  private take(asked: AskedQuestion, option: PermissionOption | undefined): void {
    if (!this.questions.find(asked.question)) {
      this.tellNone(asked.question);
    } else if (option) {
      this.questions.answer(asked.question, { outcome: 'selected', optionId: option.optionId });
    } else {
      void this.focus(asked.question);
    }
  }

  private closed(question: number): void {
    this.noticed.delete(question);
    for (const [sessionId, standing] of this.standing) {
      if (standing === question) {
        this.standing.delete(sessionId); // VS Code has no way to take the notice away
      }
    }
  }

  private tellNone(question: number | undefined): void {
    const text =
      question === undefined ? vscode.l10n.t('Emendo does not wait for an answer.') : vscode.l10n.t('That question was answered already, or withdrawn.');
    void tell('info', text);
  }
}

/** A question in one line. What the model wrote comes last, so that it cannot pass for the reason. */
function sentence(asked: AskedQuestion): string {
  const why = asked.kind === 'permission' && simpleOptions(asked).length > 0 ? reason(asked.request) : '';
  return [asked.aside === undefined ? '' : `${plainLine(asked.aside)}.`, why, about(asked)].filter((part) => part !== '').join(' ');
}

function about(asked: AskedQuestion): string {
  const { kind, text } = subject(asked);
  switch (kind) {
    case 'command':
      return vscode.l10n.t('Emendo asks to run a command: {0}', text);
    case 'read':
      return vscode.l10n.t('Emendo asks to read: {0}', text);
    case 'network':
      return vscode.l10n.t('Emendo asks to reach: {0}', text);
    case 'mcp':
      return vscode.l10n.t('Emendo asks to use a tool of an MCP server: {0}', text);
    case 'start':
      return vscode.l10n.t('Emendo asks to start a program of this folder’s settings: {0}', text);
    case 'plan':
      return vscode.l10n.t('Emendo has a plan for you to approve.');
    case 'edit':
      return vscode.l10n.t('Emendo asks to change files: {0}', text);
    case 'call':
      return vscode.l10n.t('Emendo asks for permission: {0}', text);
    case 'model':
    case 'form':
      return vscode.l10n.t('Emendo has a question: {0}', text);
  }
}

/** Sets up everything by which questions are noticed and answered outside of the views. */
export function registerApprovals(questions: Questions, views: ChatViews, host: HostHandlers, log: vscode.LogOutputChannel): vscode.Disposable {
  const approvals = new Approvals(questions, views, log);
  host.on('openPlan', async ({ question }) => {
    const asked = questions.find(question);
    if (asked?.kind === 'permission' && asked.request.preview?.planUri !== undefined) {
      await vscode.window.showTextDocument(vscode.Uri.parse(asked.request.preview.planUri, true), { preview: true });
    }
    return null;
  });
  return vscode.Disposable.from(
    approvals,
    vscode.commands.registerCommand('emendo.focusQuestion', () => approvals.focus()),
    vscode.commands.registerCommand('emendo.answerQuestion', () => approvals.choose()),
  );
}
