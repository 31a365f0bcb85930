import * as vscode from 'vscode';

/** Asks why changes are rejected; the model reads the answer. Returns undefined if the user changes their mind. */
export async function askReason(what: string): Promise<string | undefined> {
  const reason = await vscode.window.showInputBox({
    title: what,
    prompt: vscode.l10n.t('The model reads this. Enter rejects, Escape leaves the changes as they are.'),
    placeHolder: vscode.l10n.t('Why not, and what to do instead'),
    ignoreFocusOut: true, // a look at the code loses nothing that was written
  });
  return reason?.trim();
}
