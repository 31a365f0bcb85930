import * as vscode from 'vscode';
import type { EditorContext } from '../shared/messages';
import type { Server } from '../server/server';
import { Throttle } from './throttle';

/** The server is sent the editor's context at most this often, in ms. */
const interval = 50;
/** As many open editors are sent: the server keeps no more. */
const maxOpen = 10;

/** The text editor that was used last, whether or not it has the focus now. */
export interface Target {
  uri: vscode.Uri;
  selections: readonly vscode.Selection[];
  visibleRanges: readonly vscode.Range[];
  viewColumn: vscode.ViewColumn | undefined;
}

/**
 * Follows where the user is in the editor: the file in front, its selections,
 * and the files that are open. A chat view that takes the focus does not change
 * that: the text editor that was used last stays the active one.
 */
export class EditorContexts implements vscode.Disposable {
  private readonly changes = new vscode.EventEmitter<EditorContext>();
  /** Fires when what `current` returns has changed. */
  readonly onDidChange = this.changes.event;

  private editor: vscode.TextEditor | undefined;
  private last: Target | undefined;
  private readonly focused = new Map<string, number>(); // when a file was last in front, by its URI
  private counter = 0;
  private sent = '';
  private shown = '';
  private readonly throttle = new Throttle(interval, () => this.update());
  private readonly disposables: vscode.Disposable[];

  constructor(private readonly server: Server) {
    this.disposables = [
      this.changes,
      server.onDidChangeState(({ state }) => {
        if (state === 'running') {
          this.sent = '';
          this.flush();
        }
      }),
      vscode.window.onDidChangeActiveTextEditor(() => this.throttle.soon()),
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => {
        if (textEditor === this.editor || textEditor === vscode.window.activeTextEditor) {
          this.throttle.soon();
        }
      }),
      vscode.window.tabGroups.onDidChangeTabs(() => this.throttle.soon()),
    ];
  }

  /** The editor that text is inserted into and edits are proposed for; undefined when no file is open. */
  get target(): Target | undefined {
    this.follow();
    return this.last;
  }

  /** What the chat views show of it. */
  get current(): EditorContext {
    this.follow();
    if (!this.last) {
      return {};
    }
    const { uri, selections } = this.last;
    const selected = selections.find((selection) => !selection.isEmpty);
    return { label: selected ? `${label(uri)}:${lineNumbers(selected)}` : label(uri) };
  }

  /** Sends what has changed at once. Prompts go out after this. */
  flush(): void {
    this.throttle.now();
  }

  dispose(): void {
    this.throttle.cancel();
    for (const disposable of this.disposables) {
      disposable.dispose();
    }
  }

  private update(): void {
    this.follow();
    this.send();
    const context = this.current;
    const shown = JSON.stringify(context);
    if (shown !== this.shown) {
      this.shown = shown;
      this.changes.fire(context);
    }
  }

  private send(): void {
    if (this.server.state.state !== 'running') {
      return;
    }
    const openEditors = openFiles()
      .map((uri) => ({ uri: uri.toString(), lastFocused: this.focused.get(uri.toString()) ?? 0 }))
      .sort((a, b) => b.lastFocused - a.lastFocused)
      .slice(0, maxOpen);
    const activeEditor = this.last && {
      uri: this.last.uri.toString(),
      selections: this.last.selections.map(range),
      visibleRanges: this.last.visibleRanges.map(range),
    };
    const params = activeEditor ? { activeEditor, openEditors } : { openEditors };
    const text = JSON.stringify(params);
    if (text !== this.sent) {
      this.sent = text;
      this.server.notify('emendo/editor/didChangeContext', params);
    }
  }

  /** Brings `last` up to date. */
  private follow(): void {
    const users = (editor: vscode.TextEditor): boolean => isUsers(editor.document.uri);
    let active = vscode.window.activeTextEditor;
    if (!this.last && !(active && users(active))) {
      active = vscode.window.visibleTextEditors.find(users); // a chat was in front from the start
    }
    if (active && active !== this.editor && users(active)) {
      this.editor = active;
      this.focused.set(active.document.uri.toString(), ++this.counter);
    }
    const { editor } = this;
    if (editor && vscode.window.visibleTextEditors.includes(editor)) {
      this.last = {
        uri: editor.document.uri,
        selections: editor.selections,
        visibleRanges: editor.visibleRanges,
        viewColumn: editor.viewColumn,
      };
    } else if (this.last) {
      // Its tab is hidden, or closed.
      const uri = this.last.uri.toString();
      this.editor = undefined;
      if (!openFiles().some((open) => open.toString() === uri)) {
        this.last = undefined;
      }
    }
  }
}

/** Reports whether a document is the user's own text, not output, a comment or the old side of a diff. */
function isUsers(uri: vscode.Uri): boolean {
  return uri.scheme === 'file' || uri.scheme === 'untitled';
}

/** The files that have a tab, each once, in the order of the tabs. */
export function openFiles(): vscode.Uri[] {
  const files = new Map<string, vscode.Uri>();
  for (const { tabs } of vscode.window.tabGroups.all) {
    for (const { input } of tabs) {
      const uri =
        input instanceof vscode.TabInputText ? input.uri : input instanceof vscode.TabInputTextDiff ? input.modified : undefined;
      if (uri && isUsers(uri)) {
        files.set(uri.toString(), uri);
      }
    }
  }
  return [...files.values()];
}

/** How people read a file's name: relative to its workspace folder. */
export function label(uri: vscode.Uri): string {
  return vscode.workspace.asRelativePath(uri);
}

/** The first and the last line of a range, one-based. A range that ends at the start of a line excludes it. */
function lines({ start, end }: vscode.Range): [first: number, last: number] {
  const last = end.character === 0 && end.line > start.line ? end.line : end.line + 1;
  return [start.line + 1, last];
}

/** The lines of a range, for people: `3-9`. */
export function lineNumbers(range: vscode.Range): string {
  const [first, last] = lines(range);
  return first === last ? `${first}` : `${first}-${last}`;
}

/** A range as LSP has it. */
export function range({ start, end }: vscode.Range): { start: vscode.Position; end: vscode.Position } {
  const position = ({ line, character }: vscode.Position): vscode.Position => ({ line, character }) as vscode.Position;
  return { start: position(start), end: position(end) };
}
