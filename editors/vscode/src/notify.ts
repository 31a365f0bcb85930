import * as vscode from 'vscode';

/** Reports whether the user wants a notice about a session, which a view may show at the moment. */
export function notifies(shown: boolean): boolean {
  switch (vscode.workspace.getConfiguration('emendo').get<string>('notifications')) {
    case 'off':
      return false;
    case 'always':
      return true;
    default:
      return !shown;
  }
}
