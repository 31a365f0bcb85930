import * as vscode from 'vscode';
import { randomUUID } from 'node:crypto';
import type { Chip } from '../shared/messages';
import { words } from '../shared/words';

/** Characters of the terminal that are sent; the newest of more. */
const most = 64 << 10;

/**
 * Returns what is selected in the active terminal. Extensions cannot read that,
 * so it is copied, and the clipboard gets back the text that it had. A mark in
 * the clipboard tells whether anything was copied.
 */
export async function terminalSelection(): Promise<Chip> {
  const { clipboard } = vscode.env;
  const name = vscode.window.activeTerminal?.name;
  const before = await clipboard.readText();
  // An empty text may mean that the clipboard has a picture, which a mark would replace.
  const mark = before === '' ? '' : randomUUID();
  let text = '';
  try {
    if (mark !== '') {
      await clipboard.writeText(mark);
    }
    await vscode.commands.executeCommand('workbench.action.terminal.copySelection');
    text = await clipboard.readText();
  } finally {
    if (mark !== '' || text !== '') {
      await clipboard.writeText(before);
    }
  }
  if (text === mark || text === '') {
    throw new Error(vscode.l10n.t(words.nothingSelected));
  }
  const cut = text.length > most ? text.slice(-most) : text;
  const label = name === undefined ? vscode.l10n.t('Terminal') : vscode.l10n.t(words.terminalName, name);
  return {
    id: `terminal:${randomUUID()}`,
    kind: 'terminal',
    label,
    detail: cut.length > 200 ? `${cut.slice(0, 200)}…` : cut,
    block: {
      type: 'resource',
      resource: { uri: `terminal:${encodeURIComponent(name ?? '')}`, mimeType: 'text/plain', text: cut },
      _meta: { emendo: { kind: 'terminal', label } },
    },
  };
}
