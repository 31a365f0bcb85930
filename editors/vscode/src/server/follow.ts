import * as vscode from 'vscode';
import type { Launch } from './launch';
import type { Server } from './server';
import { tell } from '../tell';
import { words } from '../shared/words';

/**
 * Tells a running server when the user's settings or the workspace's trust have changed,
 * and starts it once the user wants programs in terminals to be served.
 */
export function follow(server: Server, launch: Launch): vscode.Disposable {
  const serveTerminals = () => {
    if (vscode.workspace.getConfiguration('emendo').get('companion.enabled')) {
      server.start().catch(() => {}); // the server's state says why
    }
  };
  serveTerminals();
  let sent = JSON.stringify(launch.userSettings());
  return vscode.Disposable.from(
    vscode.workspace.onDidGrantWorkspaceTrust(() => server.notify('emendo/workspace/didChangeTrust', { trust: launch.trust })),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('emendo.path') || event.affectsConfiguration('emendo.env')) {
        void offerRestart(server);
      }
      const settings = launch.userSettings();
      if (JSON.stringify(settings) !== sent) {
        sent = JSON.stringify(settings);
        server.notify('emendo/settings/didChange', { settings });
        serveTerminals();
      }
    }),
  );
}

/** What the process was started with holds until the next start, and a turn may be running. */
async function offerRestart(server: Server): Promise<void> {
  if (server.state.state !== 'running') {
    return;
  }
  const restart = vscode.l10n.t(words.restartServer);
  if ((await tell('info', vscode.l10n.t(words.settingLater), restart)) === restart) {
    await server.restart();
  }
}
