/** Edits of files that are open as notebooks. This is in both bundles: it keeps no state. */
import * as vscode from 'vscode';
import { visibleLine } from '../shared/visible';
import { words } from '../shared/words';

/** A notebook whose file has not what its cells have: an edit of the file would lose one or the other. */
export function unsavedNotebook(uri: string): vscode.NotebookDocument | undefined {
  const spelled = vscode.Uri.parse(uri).toString();
  return vscode.workspace.notebookDocuments.find((notebook) => notebook.isDirty && notebook.uri.toString() === spelled);
}

/** Says why an edit of a notebook is refused. */
export function refusal({ uri }: vscode.NotebookDocument): string {
  const name = visibleLine(uri.path.slice(uri.path.lastIndexOf('/') + 1));
  return vscode.l10n.t(words.unsavedNotebook, name);
}

/**
 * Saves the files that notebooks show and that an edit has changed as text: VS
 * Code neither shows nor saves that text, and the notebook follows its file.
 */
export async function saveAsText(uris: readonly string[]): Promise<void> {
  const edited = new Set(uris.map((uri) => vscode.Uri.parse(uri).toString()));
  const shown = vscode.workspace.notebookDocuments.map(({ uri }) => uri.toString()).filter((uri) => edited.has(uri));
  for (const document of vscode.workspace.textDocuments) {
    if (document.isDirty && shown.includes(document.uri.toString())) {
      await document.save();
    }
  }
}
