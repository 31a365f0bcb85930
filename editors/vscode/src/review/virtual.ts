import * as vscode from 'vscode';

/** The scheme of documents that show a file as it would be, or as it was. */
export const scheme = 'emendo-proposal';

/** What a virtual document shows. */
export type Virtual =
  /** A file with what is pending in it, or without what was applied and nobody has reviewed. */
  | { kind: 'proposed' | 'before'; uri: string }
  /** The old text of a hunk; its new text, which can be edited: saving accepts it. */
  | { kind: 'old' | 'edit'; uri: string; hunkId: string };

/** Returns the URI of a virtual document. Its path is the file's, so that name and language are too. */
export function virtualUri(virtual: Virtual): vscode.Uri {
  const { path } = vscode.Uri.parse(virtual.uri);
  return vscode.Uri.from({ scheme, path, query: new URLSearchParams(Object.entries(virtual)).toString() });
}

/** Returns what a document shows; undefined for one that is not ours. */
export function parseVirtual(uri: vscode.Uri): Virtual | undefined {
  if (uri.scheme !== scheme) {
    return undefined;
  }
  return Object.fromEntries(new URLSearchParams(uri.query)) as unknown as Virtual;
}
