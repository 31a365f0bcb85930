import * as vscode from 'vscode';
import type { Server } from '../server/server';

/** How long after a change the server is told, in milliseconds: cells that run change all the time. */
const pause = 200;

/** The part of VS Code's own extension for notebooks that is used. */
interface Exporter {
  exportNotebook?: (notebook: vscode.NotebookData) => Promise<string>;
}

/**
 * Shows the server the unsaved text of notebooks, as the file would have it. For
 * the server a notebook is an open document while it has unsaved cells, and a
 * closed file otherwise.
 */
export class UnsavedNotebooks implements vscode.Disposable {
  private readonly shown = new Map<string, string>(); // the text that the server has, by URI
  private readonly changed = new Set<vscode.NotebookDocument>();
  private timer: NodeJS.Timeout | undefined;
  private version = 0;
  private last: Promise<void> = Promise.resolve();
  private readonly disposables: vscode.Disposable[];

  constructor(
    private readonly server: Server,
    private readonly log: vscode.LogOutputChannel,
  ) {
    const { workspace } = vscode;
    const ofText = ({ uri }: vscode.TextDocument): void => {
      const notebook = workspace.notebookDocuments.find((one) => one.uri.toString() === uri.toString());
      if (notebook) {
        this.note(notebook);
      }
    };
    this.disposables = [
      workspace.onDidOpenNotebookDocument((notebook) => this.note(notebook)),
      workspace.onDidChangeNotebookDocument(({ notebook }) => this.note(notebook)),
      workspace.onDidSaveNotebookDocument((notebook) => this.note(notebook)),
      workspace.onDidCloseNotebookDocument((notebook) => this.note(notebook)),
      workspace.onDidOpenTextDocument(ofText),
      workspace.onDidCloseTextDocument(ofText),
      server.onDidChangeState(({ state }) => {
        if (state !== 'running') {
          this.shown.clear();
          return;
        }
        workspace.notebookDocuments.forEach((notebook) => this.note(notebook));
      }),
    ];
  }

  dispose(): void {
    clearTimeout(this.timer);
    vscode.Disposable.from(...this.disposables).dispose();
  }

  /** Resolves when the server has been told of everything; undefined if it has been already. */
  flush(): Promise<void> | undefined {
    if (this.changed.size === 0) {
      return undefined;
    }
    this.tell();
    return this.last;
  }

  private note(notebook: vscode.NotebookDocument): void {
    if (notebook.uri.scheme !== 'file' || notebook.notebookType !== 'jupyter-notebook' || this.server.state.state !== 'running') {
      return;
    }
    this.changed.add(notebook);
    this.timer ??= setTimeout(() => this.tell(), pause);
  }

  private tell(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    for (const notebook of this.changed) {
      this.last = this.last.then(() => this.update(notebook)).catch((error: unknown) => this.log.error(`notebook ${notebook.uri.toString()}: ${String(error)}`));
    }
    this.changed.clear();
  }

  private async update(notebook: vscode.NotebookDocument): Promise<void> {
    const uri = notebook.uri.toString();
    const text = isUnsaved(notebook) ? await exported(notebook) : undefined;
    const known = this.shown.get(uri);
    if (text === undefined || !isUnsaved(notebook)) {
      if (this.shown.delete(uri) && !openAsText(uri)) {
        this.server.notify('textDocument/didClose', { textDocument: { uri } });
      }
      return;
    }
    if (text === known) {
      return;
    }
    this.shown.set(uri, text);
    const version = ++this.version;
    if (known === undefined) {
      this.server.notify('textDocument/didOpen', { textDocument: { uri, languageId: 'json', version, text } });
    } else {
      this.server.notify('textDocument/didChange', { textDocument: { uri, version }, contentChanges: [{ text }] });
    }
  }
}

/** Reports whether the server has to be shown a notebook. It knows the text of one that is open as text too. */
function isUnsaved(notebook: vscode.NotebookDocument): boolean {
  return notebook.isDirty && !notebook.isClosed && !openAsText(notebook.uri.toString());
}

function openAsText(uri: string): boolean {
  return vscode.workspace.textDocuments.some((document) => document.uri.toString() === uri);
}

/** Returns the text that saving a notebook would write; undefined without VS Code's extension for that. */
async function exported(notebook: vscode.NotebookDocument): Promise<string | undefined> {
  const exporter = await vscode.extensions.getExtension<Exporter>('vscode.ipynb')?.activate();
  const cells = notebook.getCells().map((cell) => {
    const data = new vscode.NotebookCellData(cell.kind, cell.document.getText(), cell.document.languageId);
    data.metadata = { ...cell.metadata };
    data.outputs = [...cell.outputs];
    if (cell.executionSummary) {
      data.executionSummary = cell.executionSummary;
    }
    return data;
  });
  const data = new vscode.NotebookData(cells);
  data.metadata = { ...notebook.metadata };
  return exporter?.exportNotebook?.(data);
}
