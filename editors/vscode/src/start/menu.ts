import * as vscode from 'vscode';
import { clientCommands } from '../chat/steps';
import type { Server } from '../server/server';
import type { ServerViews } from '../server/views';
import { words } from '../shared/words';
import type { SignIn } from './signin';

interface Choice extends vscode.QuickPickItem {
  command?: string;
}

const icons: Record<string, string> = { signIn: 'key', trust: 'shield', mode: 'checklist', model: 'chip' };

/** Shows what can be done, beginning with what the state asks for. */
export async function showMenu(server: Server, views: ServerViews, signIn: SignIn): Promise<void> {
  const { l10n } = vscode;
  const { title, lines = [] } = views.window.status ?? {};
  const failed = server.state.state === 'failed' ? server.state : undefined;
  const signedIn = await signIn.hasKey();
  const choices: Choice[] = [];
  const add = (icon: string, label: string, command: string, description = ''): void => {
    choices.push({ label: `$(${icon}) ${label}`, command, description });
  };
  const separate = (label: string): void => {
    choices.push({ label, kind: vscode.QuickPickItemKind.Separator });
  };

  if (failed) {
    add('debug-restart', l10n.t(words.restartServer), 'emendo.restartServer', failed.message);
  }
  for (const { action, id, text } of lines) {
    if (id === 'pending') {
      add('diff', l10n.t(words.reviewChanges), 'emendo.review', text.short);
    }
    const step = typeof action === 'object' ? action.steps?.[0] : undefined;
    if (typeof action === 'object' && step && 'client' in step) {
      add(icons[step.client] ?? 'circle-small', action.title.text, clientCommands[step.client], text.short ?? text.text);
    }
  }
  separate(l10n.t('Session'));
  for (const [id, label] of [['mode', words.mode], ['model', words.model]] as const) {
    if (!lines.some((line) => line.id === id)) { // a new session has none yet
      add(icons[id]!, l10n.t(label), clientCommands[id]);
    }
  }
  add('comment-discussion', l10n.t(words.openChat), 'emendo.openChat');
  add('add', l10n.t(words.newSessionCommand), 'emendo.newSession');
  separate(l10n.t('Set-up'));
  if (signedIn) {
    add('key', l10n.t(words.changeKey), 'emendo.signIn', l10n.t(words.keyKept));
    add('sign-out', l10n.t(words.signOut), 'emendo.signOut');
  } else {
    add('key', l10n.t(words.signIn), 'emendo.signIn');
  }
  add('list-unordered', l10n.t(words.lists), 'emendo.lists');
  add('settings-gear', l10n.t('Settings'), 'emendo.settings');
  add('book', l10n.t(words.getStarted), 'emendo.walkthrough');
  separate(l10n.t('Help'));
  add('pulse', l10n.t('Doctor'), 'emendo.doctor');
  add('output', l10n.t(words.showLog), 'emendo.showLog');
  if (!failed) {
    add('debug-restart', l10n.t(words.restartServer), 'emendo.restartServer', server.version ?? '');
  }
  const chosen = await vscode.window.showQuickPick(choices, { title: 'Emendo', placeHolder: title?.text ?? '', matchOnDescription: true });
  if (chosen?.command) {
    await vscode.commands.executeCommand(chosen.command);
  }
}
