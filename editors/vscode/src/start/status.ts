import * as vscode from 'vscode';
import type { Server } from '../server/server';
import type { ServerViews } from '../server/views';
import { statusShown, type Shown } from './status_text';

const backgrounds: Record<Shown['look'], vscode.ThemeColor | undefined> = {
  plain: undefined,
  warning: new vscode.ThemeColor('statusBarItem.warningBackground'),
  error: new vscode.ThemeColor('statusBarItem.errorBackground'),
};

/** The item in the status bar: the window's status. */
export class StatusBar implements vscode.Disposable {
  private readonly item: vscode.StatusBarItem;
  private readonly disposables: vscode.Disposable[];

  constructor(
    private readonly server: Server,
    private readonly views: ServerViews,
  ) {
    this.item = vscode.window.createStatusBarItem('emendo.status', vscode.StatusBarAlignment.Right, 90);
    this.item.name = 'Emendo';
    this.item.command = 'emendo.menu';
    this.disposables = [
      this.item,
      views.onDidChange(({ sessionId }) => sessionId === undefined && this.draw()),
      server.onDidChangeState(() => this.draw()),
    ];
    this.draw();
    this.item.show();
  }

  /** Whether a turn runs. */
  get busy(): boolean {
    return ['running', 'asks'].includes(this.views.window.status?.state ?? '');
  }

  /** Resolves as soon as no turn runs. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (!this.busy) {
          watching.dispose();
          resolve();
        }
      };
      const watching = this.views.onDidChange(look);
      look();
    });
  }

  dispose(): void {
    this.disposables.forEach((disposable) => disposable.dispose());
  }

  private draw(): void {
    const { icon, label, look, lines } = statusShown(this.server.state, this.views.window.status, vscode.l10n.t);
    this.item.text = `$(${icon}) ${label}`;
    this.item.tooltip = lines.join('\n');
    this.item.accessibilityInformation = { label: [label, ...lines].join('. '), role: 'button' };
    this.item.backgroundColor = backgrounds[look];
    void vscode.commands.executeCommand('setContext', 'emendo.busy', this.busy);
  }
}
