/** Files that the user adds to a prompt, as chips. */
import * as vscode from 'vscode';
import { basename } from 'node:path';
import { TextDecoder } from 'node:util';
import type { Chip, Refused } from '../shared/messages';
import { imageType, maxImage, maxText, size } from '../shared/limits';
import { label } from './context';
import { words } from '../shared/words';

/** What became of files that were chosen or dropped. */
export interface Attached {
  chips: Chip[];
  refused: Refused[];
}

/** Returns a chip for each file, and why there is none for the rest. */
export async function attach(uris: vscode.Uri[]): Promise<Attached> {
  const attached: Attached = { chips: [], refused: [] };
  for (const uri of uris) {
    try {
      attached.chips.push(await chip(uri));
    } catch (error) {
      attached.refused.push({ name: basename(uri.path), reason: reasonOf(error) });
    }
  }
  return attached;
}

/** Returns why a file cannot be added. For a missing file VS Code's own message is the error of the system. */
function reasonOf(error: unknown): string {
  if (error instanceof vscode.FileSystemError) {
    switch (error.code) {
      case 'FileNotFound':
        return vscode.l10n.t(words.noFile);
      case 'NoPermissions':
        return vscode.l10n.t(words.noPermission);
    }
  }
  return error instanceof Error ? error.message : String(error);
}

async function chip(uri: vscode.Uri): Promise<Chip> {
  const name = basename(uri.path);
  const stat = await vscode.workspace.fs.stat(uri);
  if (stat.type & vscode.FileType.Directory) {
    return link('folder', uri, `${name}/`);
  }
  const mimeType = imageType(name);
  if (mimeType !== undefined) {
    if (stat.size > maxImage) {
      throw new Error(vscode.l10n.t(words.tooLarge, size(stat.size), size(maxImage)));
    }
    const data = Buffer.from(await vscode.workspace.fs.readFile(uri)).toString('base64');
    return { id: `image:${uri.toString()}`, kind: 'image', label: name, detail: label(uri), block: { type: 'image', data, mimeType } };
  }
  if (vscode.workspace.getWorkspaceFolder(uri)) {
    return link('file', uri, name);
  }
  // The model cannot read what is outside of the workspace.
  if (stat.size > maxText) {
    throw new Error(vscode.l10n.t(words.tooLarge, size(stat.size), size(maxText)));
  }
  const text = new TextDecoder('utf-8', { fatal: true });
  const resource = { uri: uri.toString(), text: decode(text, await vscode.workspace.fs.readFile(uri)) };
  return {
    id: `file:${uri.toString()}`,
    kind: 'file',
    label: name,
    detail: uri.fsPath,
    block: { type: 'resource', resource, _meta: { emendo: { kind: 'file', label: name } } },
  };
}

function decode(decoder: TextDecoder, bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new Error(vscode.l10n.t(words.notText));
  }
}

/** A chip for a file or a folder of the workspace. The server reads it when the prompt is sent. */
export function link(kind: 'file' | 'folder', uri: vscode.Uri, name: string): Chip {
  return {
    id: `${kind}:${uri.toString()}`,
    kind,
    label: name,
    detail: label(uri),
    block: { type: 'resource_link', uri: uri.toString(), name: label(uri), _meta: { emendo: { kind, label: name } } },
  };
}
