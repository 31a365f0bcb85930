import * as vscode from 'vscode';
import type { FileChange, HunkState } from '../shared/wire';
import { type Changes, spell } from './changes';
import type { ReviewHunk } from './store';
import { baseName, shortPath } from './summary';
import type { OwnTabs } from './tabs';
import { virtualUri } from './virtual';

/** A file of a multi-file diff: its name, and what is on the left and on the right. */
type Resource = [vscode.Uri, vscode.Uri | undefined, vscode.Uri | undefined];

/** Opens VS Code's own diff editors, and the editors in which hunks are shown. */
export class Diffs {
  constructor(
    private readonly changes: Changes,
    private readonly tabs: OwnTabs,
  ) {}

  /** Opens an editor on a hunk where it is drawn: in its file, or in the proposal of a file to be created. */
  async open(h: ReviewHunk, preserveFocus = false): Promise<void> {
    const uri = h.file.op === 'create' && h.hunk.state === 'pending' ? virtualUri({ kind: 'proposed', uri: h.uri }) : vscode.Uri.parse(h.uri);
    const document = await vscode.workspace.openTextDocument(uri);
    const row = uri.scheme === vscode.Uri.parse(h.uri).scheme ? Math.min(this.changes.row(h), document.lineCount - 1) : 0;
    const editor = await vscode.window.showTextDocument(document, { preserveFocus, selection: new vscode.Range(row, 0, row, 0) });
    editor.revealRange(new vscode.Range(row, 0, row, 0), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  }

  /** Opens the diff editor on a file with all of its pending hunks, at a hunk if one is named. */
  async showFile(uri: string, h?: ReviewHunk): Promise<void> {
    const whole = this.changes.store.hunks(uri, ['pending']).find(({ file }) => file.op !== 'modify');
    if (whole) {
      await this.open(whole);
      return;
    }
    if (h?.hunk.state === 'accepted') {
      await this.showSetFile(h.set.changeSetId, h.file);
      return;
    }
    const proposed = virtualUri({ kind: 'proposed', uri });
    await vscode.commands.executeCommand('vscode.diff', vscode.Uri.parse(uri), proposed, vscode.l10n.t('{0} (proposed changes)', baseName(uri)), {
      preview: true,
      ...(h && { selection: new vscode.Range(this.changes.row(h), 0, this.changes.row(h), 0) }),
    } satisfies vscode.TextDocumentShowOptions);
  }

  /** Opens the diff editor on what a change set does to a file, decided or not. */
  async showSetFile(changeSetId: string, file: FileChange): Promise<void> {
    const [original, modified] = this.sides(changeSetId, file);
    const title = `${baseName(file.uri)} (${this.changes.store.set(changeSetId)?.title ?? ''})`;
    if (original && modified) {
      await vscode.commands.executeCommand('vscode.diff', original, modified, title, { preview: true });
    } else {
      await vscode.window.showTextDocument((original ?? modified)!, { preview: true });
    }
  }

  /** Opens the multi-file diff editor on everything that is pending. */
  async showPending(): Promise<void> {
    const files = new Map(this.changes.store.pending().map((h) => [h.uri, h.file]));
    const resources = [...files].map(([uri, file]): Resource => {
      const live = file.op === 'create' ? undefined : vscode.Uri.parse(uri);
      const proposed = file.op === 'delete' ? undefined : file.op === 'rename' ? live : virtualUri({ kind: 'proposed', uri });
      return [vscode.Uri.parse(file.newUri ?? uri), live, proposed];
    });
    await this.showMulti(vscode.l10n.t('Proposed changes'), resources, [...files.keys()].map((uri) => ({ uri })));
  }

  private async showMulti(title: string, resources: Resource[], parts: Parameters<OwnTabs['opens']>[2]): Promise<void> {
    const sides = resources.flatMap(([, ...sides]) => sides.filter((side) => side !== undefined));
    this.tabs.opens(title, sides, parts);
    await vscode.commands.executeCommand('vscode.changes', title, resources);
  }

  /** Opens the old text of a hunk beside its new text, which can be edited. */
  async edit(h: ReviewHunk): Promise<void> {
    const old = virtualUri({ kind: 'old', uri: h.uri, hunkId: h.id });
    const edited = virtualUri({ kind: 'edit', uri: h.uri, hunkId: h.id });
    const title = vscode.l10n.t('{0} (edit, save to accept)', shortPath(h.uri));
    await vscode.commands.executeCommand('vscode.diff', old, edited, title, { preview: false });
  }

  /** What is on the left and on the right for one file of a change set. */
  private sides(changeSetId: string, file: FileChange): [vscode.Uri | undefined, vscode.Uri | undefined] {
    const uri = spell(file.uri);
    const live = vscode.Uri.parse(uri);
    const has = (state: HunkState): boolean => file.hunks.some((hunk) => hunk.state === state);
    const moved = file.newUri === undefined ? live : vscode.Uri.parse(file.newUri);
    switch (file.op) {
      case 'create':
        return [undefined, has('accepted') ? live : virtualUri({ kind: 'after', uri, changeSetId })];
      case 'delete':
        return has('accepted') ? [undefined, virtualUri({ kind: 'diff', uri, changeSetId })] : [live, undefined];
      case 'rename':
        return has('accepted') ? [moved, moved] : [live, live];
      case 'modify':
        if (!has('accepted') && !has('pending')) {
          return [undefined, virtualUri({ kind: 'diff', uri, changeSetId })];
        }
        return [
          has('accepted') ? virtualUri({ kind: 'before', uri, changeSetId }) : live,
          has('pending') ? virtualUri({ kind: 'after', uri, changeSetId }) : live,
        ];
    }
  }
}
