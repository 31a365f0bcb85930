import * as vscode from 'vscode';
import { visibleLine } from '../shared/visible';
import type { ReviewHunk } from './store';

/** What a hunk does, and what is to be known of it. */
export function facts({ label, marks = [] }: ReviewHunk): string[] {
  return [label.text, ...marks.filter(({ id }) => id !== 'text').map(({ text }) => text.text)];
}

/** The first line of a hunk's new text, or else of its old one. */
export function firstLine({ rows = [], marks = [] }: ReviewHunk): string {
  const first = [...rows.filter(([mark]) => mark === '+'), ...rows].find(([, text]) => text.trim() !== '');
  return first ? visibleLine(first[1].trim()) : (marks.find(({ id }) => id === 'text')?.text.text ?? '');
}

/** Returns a path as people read it, relative to its folder of the workspace. */
export function shortPath(uri: string): string {
  return vscode.workspace.asRelativePath(vscode.Uri.parse(uri));
}
