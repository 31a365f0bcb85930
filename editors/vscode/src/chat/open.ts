/** Opens files and pages where the user reads them. */
import * as vscode from 'vscode';
import type { Place } from '../shared/view';
import type { Target } from './context';
import { candidates, webAddress } from './paths';

/** Opens what the server names: a file, at a range if it has one, or a page of the web. */
export async function openPlace({ uri, newUri, range }: Place, target: Target | undefined): Promise<void> {
  if (webAddress(uri) !== undefined) {
    await openAddress(uri);
    return;
  }
  const files = [newUri, uri].flatMap((name) => (name === undefined ? [] : (parse(name) ?? [])));
  for (const file of files) {
    if (file.scheme !== 'file' || (await exists(file))) {
      await show(file, range && new vscode.Range(range.start.line, range.start.character, range.end.line, range.end.character), target);
      return;
    }
  }
  throw new Error(vscode.l10n.t('{0} does not exist.', files[0]?.fsPath ?? uri));
}

/** Opens a page in the browser, after VS Code's own question. */
export async function openAddress(href: string): Promise<void> {
  const address = webAddress(href);
  if (address === undefined) {
    throw new Error(vscode.l10n.t('Only http and https addresses are opened.'));
  }
  await vscode.env.openExternal(vscode.Uri.parse(address, true));
}

/** Finds the file that a view names. Fails with a message for the user. */
export async function find(uri: string | undefined, path: string | undefined, named: ReadonlySet<string>): Promise<vscode.Uri> {
  const given = uri === undefined ? undefined : parse(uri);
  if (given?.scheme === 'untitled') {
    return given;
  }
  const name = given?.scheme === 'file' && given.authority === '' ? given.fsPath : path;
  if (name === undefined || (uri !== undefined && given === undefined)) {
    throw new Error(vscode.l10n.t('Not a file: {0}', String(uri)));
  }
  const folders = (vscode.workspace.workspaceFolders ?? []).map(({ uri, name }) => ({ path: uri.fsPath, name }));
  const files = candidates(name, folders, named);
  for (const file of files) {
    const found = vscode.Uri.file(file);
    if (await exists(found)) {
      return found;
    }
  }
  throw new Error(
    files.length === 0
      ? vscode.l10n.t('{0} is outside of the workspace, and the session does not use it.', name)
      : vscode.l10n.t('{0} does not exist.', name),
  );
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

/** Lines and columns count from one. Without a column whole lines are selected, if there are several. */
export function selection(line: number | undefined, column: number | undefined, endLine: number | undefined): vscode.Range | undefined {
  if (line === undefined || line < 1) {
    return undefined;
  }
  const start = new vscode.Position(line - 1, Math.max((column ?? 1) - 1, 0));
  return new vscode.Range(start, endLine !== undefined && endLine >= line ? new vscode.Position(endLine, 0) : start);
}

/** Opens a file beside the chat's tab if it has one, else where the user last edited. A folder is shown in the explorer. */
export async function show(uri: vscode.Uri, selection: vscode.Range | undefined, target: Target | undefined): Promise<void> {
  if (uri.scheme === 'file' && (await vscode.workspace.fs.stat(uri)).type & vscode.FileType.Directory) {
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
