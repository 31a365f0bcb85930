import * as vscode from 'vscode';
import type { Server } from '../server/server';
import type { SignIn } from './signin';
import type { StatusBar } from './status';
import { words } from '../shared/words';

interface Choice extends vscode.QuickPickItem {
  command?: string;
  argument?: unknown;
}

/** Shows what can be done, beginning with what the state asks for. */
export async function showMenu(server: Server, bar: StatusBar, signIn: SignIn): Promise<void> {
  const { l10n } = vscode;
  const { status } = bar;
  const signedIn = await signIn.hasKey();
  const choices: Choice[] = [];
  const add = (icon: string, label: string, command: string, description = ''): void => {
    choices.push({ label: `$(${icon}) ${label}`, command, description });
  };
  const separate = (label: string): void => {
    choices.push({ label, kind: vscode.QuickPickItemKind.Separator });
  };

  if (server.state.state === 'failed') {
    add('debug-restart', l10n.t(words.restartServer), 'emendo.restartServer', server.state.message);
  }
  if (status?.kind === 'signed_out') {
    add('key', l10n.t(words.signIn), 'emendo.signIn', status.message);
  }
  if (status?.pendingHunks) {
    add('diff', l10n.t(words.reviewChanges), 'emendo.review', l10n.t('{0} to decide', status.pendingHunks));
  }
  add('comment-discussion', l10n.t(words.openChat), 'emendo.openChat');
  add('add', l10n.t(words.newSessionCommand), 'emendo.newSession');
  separate(l10n.t('Session'));
  const mode = server.abilities?.modes.find(({ id }) => id === status?.mode)?.name;
  add('checklist', l10n.t(words.mode), 'emendo.setMode', mode ?? '');
  add('chip', l10n.t(words.model), 'emendo.setModel', status?.model ?? '');
  separate(l10n.t('Set-up'));
  if (!vscode.workspace.isTrusted) {
    add('shield', l10n.t(words.trust), 'emendo.trust', l10n.t('Not trusted: no commands, no edits without review'));
  }
  if (signedIn) {
    add('key', l10n.t(words.changeKey), 'emendo.signIn', l10n.t(words.keyKept));
    add('sign-out', l10n.t(words.signOut), 'emendo.signOut');
  } else if (status?.kind !== 'signed_out') {
    add('key', l10n.t(words.signIn), 'emendo.signIn');
  }
  add('settings-gear', l10n.t('Settings'), 'emendo.settings');
  add('book', l10n.t(words.getStarted), 'emendo.walkthrough');
  separate(l10n.t('Help'));
  add('pulse', l10n.t('Doctor'), 'emendo.doctor');
  add('output', l10n.t(words.showLog), 'emendo.showLog');
  if (server.state.state !== 'failed') {
    add('debug-restart', l10n.t(words.restartServer), 'emendo.restartServer', server.version ?? '');
  }
  const chosen = await vscode.window.showQuickPick(choices, { title: 'Emendo', placeHolder: status?.message ?? '', matchOnDescription: true });
  if (chosen?.command) {
    await vscode.commands.executeCommand(chosen.command);
  }
}
