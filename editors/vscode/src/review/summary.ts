import * as vscode from 'vscode';
import { countLines } from './lines';
import type { ReviewHunk } from './store';

/** Returns how many lines a hunk adds and removes, as `+3 −1`. */
export function counts(hunks: ReviewHunk[]): string {
  let added = 0;
  let removed = 0;
  for (const { hunk } of hunks) {
    added += countLines(hunk.newText);
    removed += countLines(hunk.oldText);
  }
  return `+${added} \u2212${removed}`;
}

/** Returns a path as people read it, relative to its folder of the workspace. */
export function shortPath(uri: string): string {
  return vscode.workspace.asRelativePath(vscode.Uri.parse(uri));
}

/** Returns the last part of a path. */
export function baseName(uri: string): string {
  return vscode.Uri.parse(uri).path.split('/').at(-1) ?? uri;
}
