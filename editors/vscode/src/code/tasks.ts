import * as vscode from 'vscode';

/** What the model can be asked to do with a piece of code. */
export interface Task {
  command: string;
  /** The title of the code action and of the menu entry. */
  title: string;
  kind: vscode.CodeActionKind;
  /** The prompt that goes with the code. */
  prompt: string;
}

/**
 * The tasks that go to the chat. Kinds below `source` are shown in the menu of
 * source actions alone, so those tasks have another kind where all are asked for.
 */
export function tasks(): Task[] {
  const { l10n } = vscode;
  return [
    {
      command: 'emendo.fix',
      title: l10n.t('Fix with Emendo'),
      kind: vscode.CodeActionKind.QuickFix.append('emendo.fix'),
      prompt: l10n.t('Fix this code: what is wrong, and nothing else.'),
    },
    {
      command: 'emendo.explain',
      title: l10n.t('Explain with Emendo'),
      kind: vscode.CodeActionKind.Source.append('emendo.explain'),
      prompt: l10n.t('Explain this code: what it does, why it may be written this way, and what could surprise a reader. Do not change anything.'),
    },
    {
      command: 'emendo.document',
      title: l10n.t('Document with Emendo'),
      kind: vscode.CodeActionKind.Source.append('emendo.document'),
      prompt: l10n.t('Document this code, by the conventions of the language and the project. Do not change the code itself.'),
    },
    {
      command: 'emendo.test',
      title: l10n.t('Write Tests with Emendo'),
      kind: vscode.CodeActionKind.Source.append('emendo.test'),
      prompt: l10n.t("Write tests for this code, by the conventions of the project's tests."),
    },
    {
      command: 'emendo.reviewCode',
      title: l10n.t('Review with Emendo'),
      kind: vscode.CodeActionKind.Source.append('emendo.review'),
      prompt: l10n.t('Review this code: bugs first, then what is hard to read. Say where each problem is and how to fix it. Do not change anything.'),
    },
  ];
}

/** The kind of the task that changes code by an instruction. */
export const editKind = vscode.CodeActionKind.RefactorRewrite.append('emendo');

/** The source of the server's own diagnostics, which are no problems of the code. */
const own = 'emendo';

/** Returns the problems that a task is about: those that share text with a range, or its edge if one is empty. */
export function problemsIn(uri: vscode.Uri, range: vscode.Range): vscode.Diagnostic[] {
  const meets = (of: vscode.Range): boolean => {
    const shared = of.intersection(range);
    return shared !== undefined && (!shared.isEmpty || of.isEmpty || range.isEmpty); // neighbours share their edge
  };
  return vscode.languages.getDiagnostics(uri).filter((problem) => problem.source !== own && meets(problem.range));
}

/** Adds problems to a prompt, each with its line. */
export function withProblems(prompt: string, problems: readonly vscode.Diagnostic[]): string {
  if (problems.length === 0) {
    return prompt;
  }
  const lines = problems.map(({ range, message, source }) => `- ${vscode.l10n.t('line {0}', range.start.line + 1)}: ${message}${source ? ` (${source})` : ''}`);
  return [prompt, '', vscode.l10n.t('The editor reports:'), ...lines].join('\n');
}
