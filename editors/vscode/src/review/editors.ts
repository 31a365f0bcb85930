import * as vscode from 'vscode';

/**
 * Returns the visible editors that hunks are drawn into: those with a column. The sides
 * of a diff editor have no column, and show the change already.
 */
export function drawnEditors(): vscode.TextEditor[] {
  return vscode.window.visibleTextEditors.filter(({ viewColumn }) => viewColumn !== undefined);
}

/** Calls a function when the editors that hunks are drawn into may have changed. VS Code may report an editor before its column. */
export function onDidChangeDrawnEditors(changed: () => void): vscode.Disposable {
  return vscode.Disposable.from(vscode.window.onDidChangeVisibleTextEditors(changed), vscode.window.onDidChangeTextEditorViewColumn(changed));
}
