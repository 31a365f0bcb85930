import * as vscode from 'vscode';
import type { ViewSettings } from '../shared/messages';

/** The settings that the views go by. */
export function viewSettings(): ViewSettings {
  const settings = vscode.workspace.getConfiguration('emendo.chat');
  return {
    sendOnEnter: settings.get<string>('sendWith', 'enter') !== 'ctrlEnter',
    expandThoughts: settings.get<boolean>('expandThoughts', false),
  };
}

/** Calls back with the new settings when one of them has changed. */
export function onDidChangeViewSettings(changed: (settings: ViewSettings) => void): vscode.Disposable {
  return vscode.workspace.onDidChangeConfiguration((event) => {
    if (event.affectsConfiguration('emendo.chat')) {
      changed(viewSettings());
    }
  });
}
