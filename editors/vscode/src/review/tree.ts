import * as vscode from 'vscode';
import { words } from '../shared/words';
import type { Changes } from './changes';
import type { ReviewFile, ReviewHunk } from './store';
import { facts, firstLine } from './summary';

/** A file with hunks, or one of its hunks. */
export type Node = { uri: string } | { h: ReviewHunk };

const mostPreview = 80;

/** The list of what waits for the user: files, and in them their hunks. */
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
      return store.files.map(({ uri }) => ({ uri }));
    }
    return 'uri' in node ? store.hunks(node.uri).map((h) => ({ h })) : [];
  }

  getTreeItem(node: Node): vscode.TreeItem {
    const file = 'uri' in node ? this.changes.store.file(node.uri) : undefined;
    return 'h' in node ? this.hunk(node.h) : file ? this.file(file) : new vscode.TreeItem('');
  }

  private file({ uri, item: { title, note, lines = [], look = '', place }, hunks }: ReviewFile): vscode.TreeItem {
    const said = lines.map(({ text }) => text.text);
    const item = new vscode.TreeItem(vscode.Uri.parse(uri), vscode.TreeItemCollapsibleState.Collapsed);
    if (place?.newUri !== undefined) {
      item.label = title.text;
    }
    item.id = uri;
    item.description = note?.text ?? '';
    item.tooltip = [title.text, ...said].join('\n');
    item.accessibilityInformation = { label: [title.text, ...said].join(', ') };
    item.iconPath = icon(fileIcons[look]);
    item.contextValue = `file.${hunks.find(({ state }) => state === 'pending')?.state ?? hunks.find(({ state }) => state === 'unreviewed')?.state ?? 'conflicted'}`;
    item.command = { title: title.text, command: 'emendo.openHunk', arguments: [hunks[0]?.id] };
    return item;
  }

  private hunk(h: ReviewHunk): vscode.TreeItem {
    const line = vscode.l10n.t(words.line, this.changes.row(h) + 1);
    const said = facts(h);
    const item = new vscode.TreeItem(line);
    item.id = h.id;
    item.description = h.state === 'conflicted' ? said.join(' \u00B7 ') : `${said.join(' \u00B7 ')}  ${firstLine(h).slice(0, mostPreview)}`;
    item.tooltip = [...said, firstLine(h)].join('\n');
    item.accessibilityInformation = { label: `${line}, ${item.description}` };
    item.iconPath = icon(hunkIcons[h.state]);
    item.contextValue = `hunk.${h.state}`;
    item.command = { title: h.label.text, command: 'emendo.openHunk', arguments: [h.id] };
    return item;
  }
}

/** An icon, and the theme's colour for it. */
type Icon = readonly [name: string, color?: string];

const conflict: Icon = ['warning', 'list.warningForeground'];

const hunkIcons: Record<ReviewHunk['state'], Icon> = { pending: ['circle-outline'], unreviewed: ['pass'], conflicted: conflict };

const fileIcons: Record<string, Icon> = {
  create: ['diff-added', 'gitDecoration.addedResourceForeground'],
  delete: ['diff-removed', 'gitDecoration.deletedResourceForeground'],
  rename: ['diff-renamed', 'gitDecoration.renamedResourceForeground'],
  modify: ['diff-modified', 'gitDecoration.modifiedResourceForeground'],
  conflict,
};

function icon([name, color]: Icon = ['file']): vscode.ThemeIcon {
  return color === undefined ? new vscode.ThemeIcon(name) : new vscode.ThemeIcon(name, new vscode.ThemeColor(color));
}
