import * as vscode from 'vscode';
import { textScheme } from '../chat/steps';
import type { Changes } from './changes';
import { parseVirtual } from './virtual';

/** What a tab shows: the changes of a file, one hunk alone, or those hunks that waited when it was opened. */
interface Part {
  uri: string;
  hunkId?: string;
  waited?: readonly string[];
}

/** A tab that the extension opened. */
interface OwnTab {
  tab: vscode.Tab;
  key: string;
  parts: readonly Part[];
  /** The file that can take its place, where it is about one. */
  file: string | undefined;
}

/** A multi-file diff as it was opened. */
interface MultiDiff {
  title: string;
  sides: ReadonlySet<string>;
  parts: readonly Part[];
  /** The file that was in front before. */
  before: string | undefined;
}

/** As many multi-file diffs are remembered. */
const mostOpened = 20;

/**
 * The tabs that the extension opened. They are closed when nothing is left to
 * decide in them, if something was: a tab that shows decided changes stays.
 */
export class OwnTabs implements vscode.Disposable {
  private readonly undecided = new Set<string>(); // keys of tabs
  private readonly decidedHere = new Set<string>(); // files whose hunks the user decides in the editor
  private readonly waited = new Map<string, readonly string[]>(); // by the number of a text of a step
  private opened: MultiDiff[] = [];
  private closing = Promise.resolve();
  private readonly disposables: vscode.Disposable[];

  constructor(
    private readonly changes: Changes,
    private readonly log: vscode.LogOutputChannel,
  ) {
    this.disposables = [
      changes.onDidChange((uris) => this.check(uris)),
      vscode.window.tabGroups.onDidChangeTabs(() => this.own().forEach((own) => this.look(own))),
      vscode.workspace.onWillSaveTextDocument(({ document, reason }) => {
        const virtual = parseVirtual(document.uri);
        if (virtual?.kind === 'edit' && reason === vscode.TextDocumentSaveReason.Manual) {
          this.decidedHere.add(virtual.uri);
        }
      }),
      vscode.workspace.onDidSaveTextDocument(({ uri }) => {
        const virtual = parseVirtual(uri);
        if (virtual) {
          this.check(new Set([virtual.uri])); // as long as it was not saved it stayed
        }
      }),
    ];
  }

  dispose(): void {
    vscode.Disposable.from(...this.disposables).dispose();
  }

  /** Notes a multi-file diff that is about to be opened: VS Code reports only those of its files that have two sides. */
  opens(title: string, sides: readonly vscode.Uri[], parts: readonly Part[]): void {
    const opened = { title, sides: new Set(sides.map(String)), parts, before: vscode.window.activeTextEditor?.document.uri.toString() };
    this.opened = [...this.opened, opened].slice(-mostOpened);
  }

  /** Notes that the user decides hunks of these files in an editor, which is where the focus stays. */
  decides(uris: Iterable<string>): void {
    for (const uri of uris) {
      this.decidedHere.add(uri);
    }
  }

  /** Closes the tabs about these files in which the last hunk was decided. */
  private check(uris: ReadonlySet<string>): void {
    if (!this.changes.known) {
      return; // the server has ended, and nothing was decided
    }
    const done = this.own().filter((own) => this.undecided.has(own.key) && !this.look(own) && own.parts.some(({ uri }) => uris.has(uri)) && !hasUnsaved(own.tab));
    for (const { key, parts } of done) {
      this.undecided.delete(key);
      const focus = parts.some(({ uri }) => this.decidedHere.has(uri));
      this.closing = this.closing.then(() => this.close(key, focus)).catch((error: unknown) => this.log.error(`close a tab: ${String(error)}`));
    }
    for (const uri of uris) {
      if (!this.left({ uri })) {
        this.decidedHere.delete(uri);
      }
    }
  }

  /** Reports whether a tab has something to decide, and remembers it. */
  private look({ key, parts }: OwnTab): boolean {
    const left = parts.some((part) => this.left(part));
    if (left) {
      this.undecided.add(key);
    }
    return left;
  }

  private left({ uri, hunkId, waited }: Part): boolean {
    return this.changes.store.hunks(uri, 'pending', 'conflicted').some(({ id }) => (hunkId === undefined || id === hunkId) && (waited?.includes(id) ?? true));
  }

  /** What a side of a tab shows. The texts of a step are those of all that waits in a file, or of what was decided. */
  private partOf(side: vscode.Uri): Part[] {
    const virtual = parseVirtual(side);
    if (virtual || side.scheme !== textScheme) {
      return virtual ? [virtual] : [];
    }
    const uri = side.with({ scheme: 'file', query: '' }).toString();
    const waited = this.waited.get(side.query) ?? this.changes.store.hunks(uri, 'pending', 'conflicted').map(({ id }) => id);
    this.waited.set(side.query, waited);
    return [{ uri, waited }];
  }

  /** Closes the tabs with a key. Where one was in front, its file takes its place, or else the editor that was used before. */
  private async close(key: string, focus: boolean): Promise<void> {
    for (let own = this.find(key); own; own = this.find(key)) {
      const { tab, file } = own;
      const inFront = focus && tab.isActive && tab.group.isActive;
      if (tab.isActive && file !== undefined && (await exists(file))) {
        await vscode.window.showTextDocument(vscode.Uri.parse(file), { viewColumn: tab.group.viewColumn, preserveFocus: !inFront, preview: tab.isPreview });
        const replaced = this.find(key); // a tab in preview gives way by itself
        if (!replaced || !(await vscode.window.tabGroups.close(replaced.tab, true))) {
          return;
        }
      } else if (!(await vscode.window.tabGroups.close(tab, !inFront))) {
        return;
      }
    }
  }

  private find(key: string): OwnTab | undefined {
    return this.own().find((own) => own.key === key && !hasUnsaved(own.tab));
  }

  private own(): OwnTab[] {
    return vscode.window.tabGroups.all.flatMap((group) => group.tabs).flatMap((tab) => this.describe(tab) ?? []);
  }

  private describe(tab: vscode.Tab): OwnTab | undefined {
    const sides = sidesOf(tab.input);
    const multi = isMulti(tab.input);
    // VS Code puts the number of files behind the title.
    const known = multi && this.opened.findLast(({ title, sides: all }) => tab.label.startsWith(title) && sides.every((uri) => all.has(uri.toString())));
    const parts: readonly Part[] = known ? known.parts : sides.flatMap((side) => this.partOf(side));
    if (parts.length === 0) {
      return undefined;
    }
    // VS Code itself would show a file that became dirty meanwhile.
    const before = known && tab.group.tabs.some(({ input }) => input instanceof vscode.TabInputText && input.uri.toString() === known.before);
    return { tab, parts, key: JSON.stringify([multi, parts]), file: multi ? (before ? known.before : undefined) : parts[0]!.uri };
  }
}

/** The input of a multi-file diff. The API has no type for it. */
function isMulti(input: unknown): input is { textDiffs: vscode.TabInputTextDiff[] } {
  return Array.isArray((input as { textDiffs?: unknown } | undefined)?.textDiffs);
}

/** Returns the documents that a tab shows. */
function sidesOf(input: unknown): vscode.Uri[] {
  if (input instanceof vscode.TabInputText) {
    return [input.uri];
  }
  if (input instanceof vscode.TabInputTextDiff) {
    return [input.original, input.modified];
  }
  return isMulti(input) ? input.textDiffs.flatMap(sidesOf) : [];
}

/** Reports whether the user has changed a document of the extension's that a tab shows. */
function hasUnsaved({ input }: vscode.Tab): boolean {
  const sides = new Set(sidesOf(input).filter(parseVirtual).map(String));
  return vscode.workspace.textDocuments.some(({ uri, isDirty }) => isDirty && sides.has(uri.toString()));
}

async function exists(uri: string): Promise<boolean> {
  try {
    await vscode.workspace.fs.stat(vscode.Uri.parse(uri));
    return true;
  } catch {
    return false;
  }
}
