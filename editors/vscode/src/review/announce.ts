import * as vscode from 'vscode';
import { words } from '../shared/words';

const shownFor = 5000; // ms

let item: vscode.StatusBarItem | undefined;
let timer: NodeJS.Timeout | undefined;

/** Shows a text in the status bar for a while, and has screen readers say it: they pass over VS Code's own messages there. */
export function announce(text: string): void {
  clear();
  item = vscode.window.createStatusBarItem('emendo.message', vscode.StatusBarAlignment.Left, Number.MIN_SAFE_INTEGER);
  item.name = vscode.l10n.t(words.messages);
  item.text = text;
  item.accessibilityInformation = { label: text, role: 'alert' };
  item.show();
  timer = setTimeout(clear, shownFor);
}

function clear(): void {
  clearTimeout(timer);
  item?.dispose();
  item = undefined;
}
