import * as vscode from 'vscode';
import type { Server } from '../server/server';
import type { ServerViews } from '../server/views';
import type { HunkView, Step } from '../shared/view';
import type { Changes } from './changes';
import { linesOf } from './rows';
import { parseVirtual, scheme, type Virtual } from './virtual';

/** Rows of a document that come from a hunk; `end` is excluded. */
interface Region {
  id: string;
  start: number;
  end: number;
}

/**
 * The virtual documents, as files of a file system of their own: that lets one of
 * them be edited and saved. Their texts are the server's.
 */
export class Documents implements vscode.FileSystemProvider, vscode.Disposable {
  private readonly changing = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.changing.event;
  private readonly times = new Map<string, number>();
  /** The text of each document, as it was when there was one last: what was decided can be looked at. */
  private readonly texts = new Map<string, string>();
  /** Documents that VS Code saves by itself: that is no decision. */
  private readonly saving = new Set<string>();
  /** What was typed for hunks and saved by VS Code itself, by the IDs of hunks. */
  private readonly typed = new Map<string, string>();
  private readonly disposables: vscode.Disposable[];

  constructor(
    private readonly server: Server,
    private readonly views: ServerViews,
    private readonly changes: Changes,
    /** Accepts a hunk with a text of the user's. */
    private readonly accept: (hunkId: string, text: string) => Promise<void>,
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
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.texts.delete(uri.toString())),
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

  /** Returns the rows of a file with what is pending in it that come from hunks. */
  regions({ uri }: Virtual): Region[] {
    let grown = 0;
    return this.changes.store.hunks(uri, 'pending').map(({ id, range, label: { args = {} } }) => {
      const start = range.start.line + grown;
      const end = start + Number(args['added'] ?? 0);
      grown += Number(args['added'] ?? 0) - Number(args['removed'] ?? 0);
      return { id, start, end };
    });
  }

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => {});
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const size = (await this.readFile(uri)).byteLength;
    const stat = { type: vscode.FileType.File, ctime: 0, mtime: this.times.get(uri.toString()) ?? 1, size };
    return parseVirtual(uri)?.kind === 'edit' ? stat : { ...stat, permissions: vscode.FilePermission.Readonly };
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    const virtual = parseVirtual(uri);
    const text = (virtual && (await this.text(virtual))) ?? this.texts.get(uri.toString());
    if (text === undefined) {
      throw vscode.FileSystemError.FileNotFound(uri);
    }
    this.texts.set(uri.toString(), text);
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
    await this.acceptWith(virtual.hunkId, text).catch((error: unknown) => {
      throw vscode.FileSystemError.Unavailable(error instanceof Error ? error.message : String(error));
    });
    this.texts.set(uri.toString(), text);
  }

  /** Accepts a hunk with a text that the user has edited. */
  async acceptWith(hunkId: string, text: string): Promise<void> {
    await this.accept(hunkId, text);
    this.typed.delete(hunkId);
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

  /** Returns the text of a document as it is now; undefined once what it shows is decided. */
  private async text(virtual: Virtual): Promise<string | undefined> {
    const { store } = this.changes;
    const waits = 'hunkId' in virtual ? store.hunk(virtual.hunkId) : store.hunks(virtual.uri, ...(virtual.kind === 'before' ? applied : open))[0];
    if (!waits) {
      return undefined;
    }
    const { id } = waits;
    switch (virtual.kind) {
      case 'old': {
        const rows = waits.rows ?? (await this.server.request<{ hunk?: HunkView }>('emendo/view/item', { id })).hunk?.rows ?? [];
        return linesOf(rows, '-').map((line) => `${line}\n`).join('');
      }
      case 'edit':
        return this.typed.get(id) ?? (await this.step(id, 'edit')).flatMap((step) => ('edit' in step ? [step.edit] : []))[0];
      case 'proposed':
        return (await this.step(id, 'show')).flatMap((step) => ('diff' in step ? step.diff : []))[0]?.new;
      case 'before':
        return (await this.step(id, 'show')).flatMap((step) => ('diff' in step ? step.diff : []))[0]?.old;
    }
  }

  private async step(id: string, actionId: string): Promise<Step[]> {
    return (await this.views.act({ id, actionId, version: this.views.window.version })).steps ?? [];
  }

  /** Has VS Code read the open documents again that are about these files; those that are edited stay. */
  private refresh(about: (uri: string) => boolean): void {
    const events: vscode.FileChangeEvent[] = [];
    for (const { uri } of vscode.workspace.textDocuments) {
      const virtual = parseVirtual(uri);
      if (virtual && !('hunkId' in virtual) && about(virtual.uri)) {
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

const open = ['pending', 'conflicted'] as const;
const applied = ['unreviewed'] as const;
