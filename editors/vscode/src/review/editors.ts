import * as vscode from 'vscode';

/**
 * Returns the visible editors that hunks are drawn into. The sides of a diff editor
 * are none of them: they show the change already. They have no column.
 */
export function drawnEditors(): vscode.TextEditor[] {
  return vscode.window.visibleTextEditors.filter(({ viewColumn }) => viewColumn !== undefined);
}

/** Calls a function when the editors that hunks are drawn into may have changed. VS Code may tell of an editor before it tells of its column. */
export function onDidChangeDrawnEditors(changed: () => void): vscode.Disposable {
  return vscode.Disposable.from(vscode.window.onDidChangeVisibleTextEditors(changed), vscode.window.onDidChangeTextEditorViewColumn(changed));
}
