import * as vscode from 'vscode';
import { build, type Built, type Replacement } from './build';
import type { Changes } from './changes';
import { splitLines } from './lines';
import type { ReviewHunk } from './store';
import { parseVirtual, scheme, type Virtual } from './virtual';

/** Accepts a hunk with a text of the user's, and returns why that failed. */
type Accept = (h: ReviewHunk, text: string) => Promise<string | undefined>;

/**
 * The virtual documents, as files of a file system of their own: that lets one of
 * them be edited and saved.
 */
export class Documents implements vscode.FileSystemProvider, vscode.Disposable {
  private readonly changing = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.changing.event;
  private readonly times = new Map<string, number>();
  /** Documents that VS Code saves by itself: that is no decision. */
  private readonly saving = new Set<string>();
  /** What was typed for hunks and saved by VS Code itself, by the IDs of hunks. */
  private readonly typed = new Map<string, string>();
  private readonly disposables: vscode.Disposable[];

  constructor(
    private readonly changes: Changes,
    private readonly accept: Accept,
  ) {
    this.disposables = [
      this.changing,
      changes.onDidChange((uris) => this.refresh((uri) => uris.has(uri))),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (document.uri.scheme !== scheme) {
          const changed = document.uri.toString();
          this.refresh((uri) => uri === changed);
        }
      }),
      vscode.workspace.onWillSaveTextDocument(({ document: { uri }, reason }) => {
        if (reason === vscode.TextDocumentSaveReason.Manual) {
          this.saving.delete(uri.toString());
        } else {
          this.saving.add(uri.toString());
        }
      }),
    ];
  }

  dispose(): void {
    vscode.Disposable.from(...this.disposables).dispose();
  }

  /** Returns the rows of a document with its pending hunks applied that come from hunks. */
  async regions(virtual: Virtual): Promise<Built['regions']> {
    return (await this.built(virtual))?.regions ?? [];
  }

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => {});
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const virtual = parseVirtual(uri);
    const size = (await this.readFile(uri)).byteLength;
    const stat = { type: vscode.FileType.File, ctime: 0, mtime: this.times.get(uri.toString()) ?? 1, size };
    return virtual?.kind === 'edit' ? stat : { ...stat, permissions: vscode.FilePermission.Readonly };
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    const virtual = parseVirtual(uri);
    const text = virtual && (await this.text(virtual));
    if (text === undefined) {
      throw vscode.FileSystemError.FileNotFound(uri);
    }
    return new TextEncoder().encode(text);
  }

  async writeFile(uri: vscode.Uri, content: Uint8Array): Promise<void> {
    const virtual = parseVirtual(uri);
    if (virtual?.kind !== 'edit') {
      throw vscode.FileSystemError.NoPermissions(uri);
    }
    const text = new TextDecoder().decode(content);
    if (this.saving.delete(uri.toString())) {
      this.typed.set(virtual.hunkId, text);
      return;
    }
    const problem = await this.acceptWith(virtual.hunkId, text);
    if (problem !== undefined) {
      throw vscode.FileSystemError.Unavailable(problem);
    }
  }

  /** Accepts a hunk with a text that the user has edited. Returns why that failed. */
  async acceptWith(hunkId: string, text: string): Promise<string | undefined> {
    const h = this.changes.store.hunk(hunkId);
    switch (h?.hunk.state) {
      case undefined:
        return vscode.l10n.t('The change does not exist any more.');
      case 'pending':
      case 'conflicted':
        this.typed.delete(hunkId);
        return this.accept(h!, endLines(text, h!));
      default:
        return vscode.l10n.t('The change was decided elsewhere. Copy what you need from this text.');
    }
  }

  readDirectory(): [string, vscode.FileType][] {
    return [];
  }

  createDirectory(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  delete(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  rename(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  private async text(virtual: Virtual): Promise<string | undefined> {
    switch (virtual.kind) {
      case 'old':
        return this.changes.store.hunk(virtual.hunkId)?.hunk.oldText;
      case 'edit':
        return this.typed.get(virtual.hunkId) ?? this.changes.store.hunk(virtual.hunkId)?.hunk.newText;
      case 'diff':
        return this.changes.store.set(virtual.changeSetId)?.files.find(({ uri }) => vscode.Uri.parse(uri).toString() === virtual.uri)?.diff;
      case 'proposed':
      case 'before':
      case 'after':
        return (await this.built(virtual))?.text;
    }
  }

  private async built(virtual: Virtual): Promise<Built | undefined> {
    const { store } = this.changes;
    switch (virtual.kind) {
      case 'proposed':
        return build(await liveText(virtual.uri), this.forward(store.hunks(virtual.uri, ['pending'])));
      case 'after':
      case 'before': {
        const hunks = store
          .hunks(virtual.uri, [virtual.kind === 'after' ? 'pending' : 'accepted'])
          .filter((h) => h.set.changeSetId === virtual.changeSetId);
        const replacements = this.forward(hunks);
        const undo = replacements.map(({ from, to, ...rest }) => ({ ...rest, from: to, to: from }));
        return build(await liveText(virtual.uri), virtual.kind === 'after' ? replacements : undo);
      }
      default:
        return undefined;
    }
  }

  private forward(hunks: ReviewHunk[]): Replacement[] {
    const sets = this.changes.store.sets;
    const order = new Map(sets.map(({ changeSetId }, i) => [changeSetId, i]));
    return hunks
      .map((h) => ({ h, at: order.get(h.set.changeSetId) ?? 0 }))
      .sort((a, b) => a.at - b.at)
      .map(({ h }) => ({ id: h.id, row: this.changes.row(h), from: h.hunk.oldText, to: h.hunk.newText }));
  }

  /** Has VS Code read the open documents again that are about these files; those that are edited stay. */
  private refresh(about: (uri: string) => boolean): void {
    const events: vscode.FileChangeEvent[] = [];
    for (const { uri } of vscode.workspace.textDocuments) {
      const virtual = parseVirtual(uri);
      if (virtual && virtual.kind !== 'edit' && virtual.kind !== 'old' && about(virtual.uri)) {
        const key = uri.toString();
        this.times.set(key, (this.times.get(key) ?? 1) + 1);
        events.push({ type: vscode.FileChangeType.Changed, uri });
      }
    }
    if (events.length > 0) {
      this.changing.fire(events);
    }
  }
}

/** Returns the text of a file as the editor has it, saved or not; empty if there is none. */
async function liveText(uri: string): Promise<string> {
  const open = vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri);
  if (open) {
    return open.getText();
  }
  try {
    return await vscode.workspace.decode(await vscode.workspace.fs.readFile(vscode.Uri.parse(uri)));
  } catch {
    return '';
  }
}

/** Ends the last line of an edited text if the hunk's own lines do. */
function endLines(text: string, { hunk }: ReviewHunk): string {
  const last = splitLines(hunk.newText === '' ? hunk.oldText : hunk.newText).at(-1) ?? '';
  const end = /\r?\n$/.exec(last)?.[0] ?? '';
  return text === '' || /[\r\n]$/.test(text) ? text : text + end;
}
