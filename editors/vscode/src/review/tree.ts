import * as vscode from 'vscode';
import { visibleLine } from '../shared/visible';
import type { Verification } from '../shared/wire';
import { shownStates, type Changes } from './changes';
import { bareLines } from './lines';
import type { ReviewHunk } from './store';
import { counts, shortPath } from './summary';

/** A file with hunks, or one of its hunks. */
export type Node = { uri: string } | { h: ReviewHunk };

/** The list of what is proposed: files, and in them their hunks. */
export class ChangesTree implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  private readonly changing = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.changing.event;
  private readonly subscription: vscode.Disposable;

  constructor(private readonly changes: Changes) {
    this.subscription = changes.onDidChange(() => this.changing.fire(undefined));
  }

  dispose(): void {
    vscode.Disposable.from(this.subscription, this.changing).dispose();
  }

  getChildren(node?: Node): Node[] {
    const { store } = this.changes;
    if (!node) {
      return store.uris.filter((uri) => store.hunks(uri, shownStates).length > 0).map((uri) => ({ uri }));
    }
    return 'uri' in node ? store.hunks(node.uri, shownStates).map((h) => ({ h })) : [];
  }

  getTreeItem(node: Node): vscode.TreeItem {
    return 'uri' in node ? this.file(node.uri) : this.hunk(node.h);
  }

  private file(uri: string): vscode.TreeItem {
    const { t } = vscode.l10n;
    const hunks = this.changes.store.hunks(uri, shownStates);
    const first = hunks[0]!;
    const pending = hunks.filter(({ hunk }) => hunk.state === 'pending');
    const conflicted = hunks.filter(({ hunk }) => hunk.state === 'conflicted').length;
    const verification = hunks.map(({ file }) => file.verification).find((v) => v !== undefined);
    const item = new vscode.TreeItem(vscode.Uri.parse(uri), vscode.TreeItemCollapsibleState.Collapsed);
    item.id = uri;
    const parts = [
      said(first.file.op, first.file.newUri),
      pending.length > 0 ? t('{0} pending', pending.length) : conflicted < hunks.length ? t('applied') : '',
      conflicted > 0 ? t('{0} in conflict', conflicted) : '',
      first.file.op === 'rename' ? '' : counts(pending.length > 0 ? pending : hunks),
      badge(verification),
    ].filter((part) => part !== '');
    item.description = parts.join(' \u00B7 ');
    item.tooltip = [shortPath(uri), ...parts, visibleLine(verification?.reason ?? '')].filter((part) => part !== '').join('\n');
    item.accessibilityInformation = { label: [shortPath(uri), ...parts].join(', ') };
    item.iconPath = icon(first.file.op, conflicted > 0);
    item.contextValue = pending.length > 0 ? 'file.pending' : conflicted === hunks.length ? 'file.conflicted' : 'file.applied';
    item.command = { title: t('Review'), command: 'emendo.openHunk', arguments: [first.id] };
    return item;
  }

  private hunk(h: ReviewHunk): vscode.TreeItem {
    const { t } = vscode.l10n;
    const line = this.changes.row(h) + 1;
    const text = bareLines(h.hunk.newText || h.hunk.oldText).find((l) => l.trim() !== '') ?? '';
    const item = new vscode.TreeItem(t('Line {0}', line));
    item.id = h.id;
    const conflict = h.hunk.state === 'conflicted';
    item.description = conflict ? visibleLine(h.hunk.reason ?? t('does not fit any more')) : `${counts([h])}  ${visibleLine(text.trim().slice(0, maxPreview))}`;
    item.tooltip = item.description;
    const state = conflict ? t('in conflict') : h.hunk.state === 'accepted' ? t('applied') : t('pending');
    item.accessibilityInformation = { label: `${t('Line {0}', line)}, ${state}, ${item.description}` };
    item.iconPath = conflict
      ? new vscode.ThemeIcon('warning', new vscode.ThemeColor('list.warningForeground'))
      : new vscode.ThemeIcon(h.hunk.state === 'accepted' ? 'pass' : 'circle-outline');
    item.contextValue = conflict ? 'hunk.conflicted' : h.hunk.state === 'accepted' ? 'hunk.applied' : 'hunk.pending';
    item.command = { title: t('Review'), command: 'emendo.openHunk', arguments: [h.id] };
    return item;
  }
}

const maxPreview = 80;

function said(op: ReviewHunk['file']['op'], newUri?: string): string {
  const { t } = vscode.l10n;
  switch (op) {
    case 'create':
      return t('new file');
    case 'delete':
      return t('delete');
    case 'rename':
      return t('rename to {0}', visibleLine(shortPath(newUri ?? '')));
    case 'modify':
      return '';
  }
}

function icon(op: ReviewHunk['file']['op'], conflicted: boolean): vscode.ThemeIcon {
  if (conflicted) {
    return new vscode.ThemeIcon('warning', new vscode.ThemeColor('list.warningForeground'));
  }
  const [name, color] = {
    create: ['diff-added', 'gitDecoration.addedResourceForeground'],
    delete: ['diff-removed', 'gitDecoration.deletedResourceForeground'],
    rename: ['diff-renamed', 'gitDecoration.renamedResourceForeground'],
    modify: ['diff-modified', 'gitDecoration.modifiedResourceForeground'],
  }[op] as [string, string];
  return new vscode.ThemeIcon(name, new vscode.ThemeColor(color));
}

function badge(verification: Verification | undefined): string {
  const { t } = vscode.l10n;
  switch (verification?.state) {
    case 'verified':
      return `\u2713 ${t('verified')}`;
    case 'problems':
      return `\u2717 ${verification.introduced === 1 ? t('1 new error') : t('{0} new errors', verification.introduced)}`;
    default: // not checked, or by a later server
      return '';
  }
}
