/** Opens files and pages where the user reads them. */
import * as vscode from 'vscode';
import type { Place } from '../shared/view';
import type { Target } from './context';
import { webAddress } from './address';

/** Opens what the server names: a file, at a range if it has one, or a page of the web. */
export async function openPlace({ uri, newUri, range }: Place, target: Target | undefined): Promise<void> {
  if (webAddress(uri) !== undefined) {
    await openAddress(uri);
    return;
  }
  const moved = newUri === undefined ? undefined : parse(newUri);
  const file = moved && (await exists(moved)) ? moved : vscode.Uri.parse(uri);
  await show(file, range && new vscode.Range(range.start.line, range.start.character, range.end.line, range.end.character), target);
}

/** Opens a page in the browser, after VS Code's own question. */
export async function openAddress(href: string): Promise<void> {
  const address = webAddress(href);
  if (address !== undefined) {
    await vscode.env.openExternal(vscode.Uri.parse(address, true));
  }
}

export function parse(uri: string): vscode.Uri | undefined {
  try {
    return vscode.Uri.parse(uri, true);
  } catch {
    return undefined;
  }
}

/** The window of a remote workspace names its files by the remote; the extension runs there, and has them as files. */
export function local(uri: vscode.Uri | undefined): vscode.Uri | undefined {
  return uri?.scheme === 'vscode-remote' && vscode.env.remoteName !== undefined ? uri.with({ scheme: 'file', authority: '' }) : uri;
}

async function exists(uri: vscode.Uri): Promise<boolean> {
  try {
    await vscode.workspace.fs.stat(uri);
    return true;
  } catch {
    return false;
  }
}

/** Opens a file beside the chat's tab if it has one, else where the user last edited. A folder is shown in the explorer. */
export async function show(uri: vscode.Uri, selection: vscode.Range | undefined, target: Target | undefined): Promise<void> {
  if (uri.scheme === 'file' && (await exists(uri)) && (await vscode.workspace.fs.stat(uri)).type & vscode.FileType.Directory) {
    await vscode.commands.executeCommand('revealInExplorer', uri);
    return;
  }
  const groups = vscode.window.tabGroups;
  const chatInFront = groups.activeTabGroup.activeTab?.input instanceof vscode.TabInputWebview;
  const used = groups.all.find(({ viewColumn }) => viewColumn === target?.viewColumn);
  const viewColumn =
    used && (used !== groups.activeTabGroup || !chatInFront) ? used.viewColumn : chatInFront ? vscode.ViewColumn.Beside : vscode.ViewColumn.Active;
  await vscode.commands.executeCommand('vscode.open', uri, { preview: true, viewColumn, ...(selection && { selection }) });
}
