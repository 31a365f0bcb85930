import * as vscode from 'vscode';

/** The scheme of documents that show a file as it would be, or as it was. */
export const scheme = 'emendo-proposal';

/** What a virtual document shows. */
export type Virtual =
  /** A file with its pending hunks applied. */
  | { kind: 'proposed'; uri: string }
  /** A file with the accepted hunks of a change set undone, and with its pending ones applied. */
  | { kind: 'before' | 'after'; uri: string; changeSetId: string }
  /** The old text of a hunk; its new text, which can be edited: saving accepts it. */
  | { kind: 'old' | 'edit'; uri: string; hunkId: string }
  /** The unified diff of a file. */
  | { kind: 'diff'; uri: string; changeSetId: string };

/** Returns the URI of a virtual document. Its path is the file's, so that name and language are too. */
export function virtualUri(virtual: Virtual): vscode.Uri {
  const { path } = vscode.Uri.parse(virtual.uri);
  const query = new URLSearchParams(Object.entries(virtual)).toString();
  return vscode.Uri.from({ scheme, path: virtual.kind === 'diff' ? `${path}.diff` : path, query });
}

/** Returns what a document shows; undefined for one that is not ours. */
export function parseVirtual(uri: vscode.Uri): Virtual | undefined {
  if (uri.scheme !== scheme) {
    return undefined;
  }
  return Object.fromEntries(new URLSearchParams(uri.query)) as unknown as Virtual;
}
