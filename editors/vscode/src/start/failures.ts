import * as vscode from 'vscode';
import type { Server } from '../server/server';
import { tell } from '../tell';
import { words } from '../shared/words';

/** Tells the user when the server cannot be started or died too often, once for each time. */
export function tellFailures(server: Server, log: vscode.LogOutputChannel): vscode.Disposable {
  let open = false;
  return server.onDidChangeState(async (state) => {
    if (state.state !== 'failed' || open) {
      return;
    }
    open = true;
    const restart = vscode.l10n.t('Restart');
    const showLog = vscode.l10n.t(words.showLog);
    const settings = vscode.l10n.t(words.openSettings);
    const named = vscode.workspace.getConfiguration('emendo').get<string>('path', '') !== '';
    const chosen = await tell(
      'error',
      vscode.l10n.t(words.notRunning, state.message),
      restart,
      showLog,
      ...(named ? [settings] : []),
    );
    open = false;
    switch (chosen) {
      case restart:
        await server.restart().catch(() => {}); // its failure is told as the first was
        break;
      case showLog:
        log.show(true);
        break;
      case settings:
        await vscode.commands.executeCommand('workbench.action.openSettings', 'emendo.path');
        break;
    }
  });
}
