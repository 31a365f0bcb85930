import * as vscode from 'vscode';
import { words } from '../shared/words';

/** What the model can be asked to do with a piece of code. */
export interface Task {
  command: string;
  /** The server's command. */
  does: string;
  /** The title of the code action and of the menu entry. */
  title: string;
  kind: vscode.CodeActionKind;
}

/**
 * The tasks that go to the chat. Kinds below `source` are shown in the menu of
 * source actions alone, so those tasks have another kind where all are asked for.
 */
export function tasks(): Task[] {
  const { l10n } = vscode;
  const source = (name: string): vscode.CodeActionKind => vscode.CodeActionKind.Source.append(`emendo.${name}`);
  return [
    { command: 'emendo.fix', does: 'emendo.fix', title: l10n.t(words.fixCode), kind: vscode.CodeActionKind.QuickFix.append('emendo.fix') },
    { command: 'emendo.explain', does: 'emendo.explain', title: l10n.t(words.explainCode), kind: source('explain') },
    { command: 'emendo.document', does: 'emendo.document', title: l10n.t(words.documentCode), kind: source('document') },
    { command: 'emendo.test', does: 'emendo.test', title: l10n.t(words.testCode), kind: source('test') },
    { command: 'emendo.reviewCode', does: 'emendo.review', title: l10n.t(words.reviewCode), kind: source('review') },
  ];
}

/** The kind of the task that changes code by an instruction. */
export const editKind = vscode.CodeActionKind.RefactorRewrite.append('emendo');

/** The source of the server's own diagnostics, which are no problems of the code. */
const own = 'emendo';

/** Returns the problems that a task is about, each with its line: those that share text with a range, or its edge if one is empty. */
export function problemsIn(uri: vscode.Uri, range: vscode.Range): string[] {
  const meets = (of: vscode.Range): boolean => {
    const shared = of.intersection(range);
    return shared !== undefined && (!shared.isEmpty || of.isEmpty || range.isEmpty); // neighbours share their edge
  };
  return vscode.languages
    .getDiagnostics(uri)
    .filter((problem) => problem.source !== own && meets(problem.range))
    .map(({ range, message, source }) => `line ${range.start.line + 1}: ${message}${source ? ` (${source})` : ''}`);
}
