import * as vscode from 'vscode';
import type { ToView } from '../shared/messages';
import type { ChatViews } from './views';

type What = Extract<ToView, { type: 'do' }>['what'];

/** Commands that the view which was used last carries out. Only those that show something there give it the focus. */
const done: Record<string, { what: What; focus: boolean }> = {
  'emendo.stop': { what: 'stop', focus: false },
  'emendo.find': { what: 'find', focus: true },
  'emendo.showContext': { what: 'context', focus: true },
  'emendo.setMode': { what: 'mode', focus: true },
  'emendo.setModel': { what: 'model', focus: true },
  'emendo.copyConversation': { what: 'copyAll', focus: false },
  'emendo.nextTurn': { what: 'nextTurn', focus: true },
  'emendo.previousTurn': { what: 'previousTurn', focus: true },
};

/** Registers the commands of the conversation. */
export function registerChatCommands(views: ChatViews): vscode.Disposable {
  return vscode.Disposable.from(
    ...Object.entries(done).map(([command, { what, focus }]) =>
      vscode.commands.registerCommand(command, () => views.send({ type: 'do', what }, focus)),
    ),
    vscode.commands.registerCommand('emendo.openInEditor', () => views.openInEditor(views.sessionId, 'Emendo')),
  );
}
