import * as vscode from 'vscode';
import { words } from '../shared/words';
import type { Changes } from './changes';
import type { ReviewFile, ReviewHunk } from './store';
import { shortPath } from './summary';
import type { OwnTabs } from './tabs';
import { virtualUri } from './virtual';

/** Opens VS Code's own diff editors, and the editors in which hunks are shown. */
export class Diffs {
  constructor(
    private readonly changes: Changes,
    private readonly tabs: OwnTabs,
  ) {}

  /** Opens an editor on a hunk where it is drawn: in its file, or in the proposal of a file to be created. */
  async open(h: ReviewHunk): Promise<void> {
    const created = h.file.look === 'create' && h.state === 'pending';
    const uri = created ? virtualUri({ kind: 'proposed', uri: h.uri }) : vscode.Uri.parse(h.uri);
    const row = created ? 0 : this.changes.row(h);
    await vscode.commands.executeCommand('vscode.open', uri, at(row));
    const editor = vscode.window.activeTextEditor;
    if (editor?.document.uri.toString() === uri.toString()) {
      editor.revealRange(editor.selection, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    }
  }

  /** Opens the diff editor on what waits in a file, at a hunk if one is named. */
  async showFile({ uri, hunks }: ReviewFile, h = hunks.find(({ state }) => state !== 'unreviewed') ?? hunks[0]): Promise<void> {
    if (h?.state === 'pending' && h.file.look !== 'modify') {
      await this.open(h);
      return;
    }
    const applied = h?.state === 'unreviewed';
    const live = vscode.Uri.parse(uri);
    const other = virtualUri({ kind: applied ? 'before' : 'proposed', uri });
    const title = vscode.l10n.t(applied ? words.appliedIn : words.proposedIn, live.path.split('/').at(-1)!);
    await vscode.commands.executeCommand('vscode.diff', ...(applied ? [other, live] : [live, other]), title, { preview: true, ...(h && at(this.changes.row(h))) });
  }

  /** Opens the multi-file diff editor on everything that is pending. */
  async showPending(): Promise<void> {
    const files = this.changes.store.files.filter(({ hunks }) => hunks.some(({ state }) => state === 'pending'));
    const resources = files.map(({ uri, item: { look, place } }) => {
      const live = look === 'create' ? undefined : vscode.Uri.parse(uri);
      const proposed = look === 'delete' ? undefined : look === 'rename' ? live : virtualUri({ kind: 'proposed', uri });
      return [vscode.Uri.parse(place?.newUri ?? uri), live, proposed] as const;
    });
    const title = vscode.l10n.t(words.proposed);
    const sides = resources.flatMap(([, ...sides]) => sides.filter((side) => side !== undefined));
    this.tabs.opens(title, sides, files.map(({ uri }) => ({ uri })));
    await vscode.commands.executeCommand('vscode.changes', title, resources);
  }

  /** Opens the old text of a hunk beside its new text, which can be edited. */
  async edit({ id: hunkId, uri }: ReviewHunk): Promise<void> {
    const old = virtualUri({ kind: 'old', uri, hunkId });
    const edited = virtualUri({ kind: 'edit', uri, hunkId });
    await vscode.commands.executeCommand('vscode.diff', old, edited, vscode.l10n.t(words.editIn, shortPath(uri)), { preview: false });
  }
}

function at(row: number): vscode.TextDocumentShowOptions {
  return { selection: new vscode.Range(row, 0, row, 0) };
}
