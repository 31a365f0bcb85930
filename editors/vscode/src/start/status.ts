import * as vscode from 'vscode';
import type { Questions } from '../questions';
import { hasFolder } from '../server/launch';
import type { Server } from '../server/server';
import type { Status } from '../shared/wire';
import { statusItem, statusLines, type Look, type Shown, type Translate } from './status_text';

const t: Translate = (text, ...values) => vscode.l10n.t(text, ...values);

const backgrounds: Record<Look, vscode.ThemeColor | undefined> = {
  plain: undefined,
  warning: new vscode.ThemeColor('statusBarItem.warningBackground'),
  error: new vscode.ThemeColor('statusBarItem.errorBackground'),
};

/** The item in the status bar, with the server's state. */
export class StatusBar implements vscode.Disposable {
  /** What the running server said last; undefined while none runs. */
  status: Status | undefined;

  private readonly item: vscode.StatusBarItem;
  private readonly changes = new vscode.EventEmitter<void>();
  /** Fires when `status` is another. */
  readonly onDidChange = this.changes.event;
  private readonly disposables: vscode.Disposable[];

  constructor(
    private readonly server: Server,
    private readonly questions: Questions,
  ) {
    this.item = vscode.window.createStatusBarItem('emendo.status', vscode.StatusBarAlignment.Right, 90);
    this.item.name = 'Emendo';
    this.item.command = 'emendo.menu';
    this.disposables = [
      this.item,
      this.changes,
      server.onNotification<Status>('emendo/status', (status) => this.set(status)),
      server.onDidChangeState(({ state }) => this.set(state === 'running' ? this.status : undefined)),
      questions.onDidChange(() => this.draw()),
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.draw()),
      vscode.workspace.onDidChangeWorkspaceFolders(() => this.draw()),
    ];
    this.draw();
    this.item.show();
  }

  dispose(): void {
    this.disposables.forEach((disposable) => disposable.dispose());
  }

  private set(status: Status | undefined): void {
    this.status = status;
    void vscode.commands.executeCommand('setContext', 'emendo.signedOut', status?.kind === 'signed_out');
    void vscode.commands.executeCommand('setContext', 'emendo.busy', status?.kind === 'busy');
    this.draw();
    this.changes.fire();
  }

  private draw(): void {
    const shown: Shown = {
      server: this.server.state,
      status: this.status,
      folder: hasFolder(),
      trusted: vscode.workspace.isTrusted,
      questions: this.questions.all.length,
    };
    const { icon, label, look } = statusItem(shown, t);
    const lines = statusLines(shown, this.server.abilities?.modes ?? [], t);
    this.item.text = `$(${icon}) ${label}`;
    this.item.tooltip = lines.join('\n');
    this.item.accessibilityInformation = { label: [label, ...lines].join('. '), role: 'button' };
    this.item.backgroundColor = backgrounds[look];
  }
}
