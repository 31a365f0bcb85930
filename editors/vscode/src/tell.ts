import * as vscode from 'vscode';
import { withoutLinks } from './shared/visible';

/**
 * Shows a notice, and resolves with the button that was pressed. Every notice of
 * the extension goes through here: VS Code makes links of `[text](address)`, which
 * run commands too, and most texts hold a name or a sentence that is not ours.
 */
export function tell<T extends string | vscode.MessageItem>(severity: 'info' | 'warning' | 'error', text: string, ...buttons: T[]): Thenable<T | undefined> {
  const show = {
    info: vscode.window.showInformationMessage,
    warning: vscode.window.showWarningMessage,
    error: vscode.window.showErrorMessage,
  }[severity] as (text: string, ...buttons: T[]) => Thenable<T | undefined>;
  return show(withoutLinks(text), ...buttons);
}
