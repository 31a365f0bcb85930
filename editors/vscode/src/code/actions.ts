import * as vscode from 'vscode';
import { editKind, tasks } from './tasks';
import { words } from '../shared/words';

/**
 * The code actions. They are there before the server is, and made without it: a
 * choice is what starts it.
 */
export class Actions implements vscode.CodeActionProvider {
  static readonly kinds = [vscode.CodeActionKind.QuickFix.append('emendo'), editKind, vscode.CodeActionKind.Source.append('emendo')];

  provideCodeActions(document: vscode.TextDocument, range: vscode.Range, context: vscode.CodeActionContext): vscode.CodeAction[] {
    const { only } = context;
    const automatic = context.triggerKind === vscode.CodeActionTriggerKind.Automatic;
    if (automatic && only) {
      return []; // such as when a file is saved: nothing that asks the model happens unasked
    }
    const problems = context.diagnostics.filter(({ source }) => source !== 'emendo');
    const actions: vscode.CodeAction[] = [];
    const add = (title: string, kind: vscode.CodeActionKind, command: string): vscode.CodeAction => {
      const action = new vscode.CodeAction(title, kind);
      action.command = { title, command, arguments: [document.uri, range] };
      actions.push(action);
      return action;
    };
    for (const { command, title, kind } of tasks()) {
      if (command === 'emendo.fix') {
        if (problems.length > 0 && (!only || only.contains(kind))) {
          add(title, kind, command).diagnostics = problems;
        }
      } else if (only ? only.contains(kind) : !automatic || !range.isEmpty) {
        add(title, only ? kind : vscode.CodeActionKind.Empty.append(kind.value.replace(/^source\./, '')), command);
      }
    }
    if (only ? only.contains(editKind) : !automatic || !range.isEmpty) {
      add(vscode.l10n.t(words.editCode), editKind, 'emendo.edit');
    }
    return actions;
  }
}

/** Puts Explain, Document and Test above functions and classes, if the user wants that. */
export class Lenses implements vscode.CodeLensProvider, vscode.Disposable {
  private readonly changes = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.changes.event;
  private readonly listening = vscode.workspace.onDidChangeConfiguration((event) => {
    if (event.affectsConfiguration('emendo.codeLens')) {
      this.changes.fire();
    }
  });

  async provideCodeLenses(document: vscode.TextDocument): Promise<vscode.CodeLens[]> {
    if (!vscode.workspace.getConfiguration('emendo.codeLens', document).get<boolean>('enabled', false)) {
      return [];
    }
    const symbols = await vscode.commands.executeCommand<vscode.DocumentSymbol[] | undefined>('vscode.executeDocumentSymbolProvider', document.uri);
    return declarations(symbols ?? []).flatMap(({ range, selectionRange }) =>
      [
        { title: vscode.l10n.t('Explain'), command: 'emendo.explain' },
        { title: vscode.l10n.t('Document'), command: 'emendo.document' },
        { title: vscode.l10n.t('Test'), command: 'emendo.test' },
      ].map((command) => new vscode.CodeLens(selectionRange, { ...command, arguments: [document.uri, range] })),
    );
  }

  dispose(): void {
    this.listening.dispose();
    this.changes.dispose();
  }
}

const kinds = new Set([
  vscode.SymbolKind.Function,
  vscode.SymbolKind.Method,
  vscode.SymbolKind.Constructor,
  vscode.SymbolKind.Class,
  vscode.SymbolKind.Interface,
  vscode.SymbolKind.Struct,
]);

function declarations(symbols: vscode.DocumentSymbol[]): vscode.DocumentSymbol[] {
  return symbols
    .filter((symbol) => 'selectionRange' in symbol)
    .flatMap((symbol) => [...(kinds.has(symbol.kind) ? [symbol] : []), ...declarations(symbol.children)]);
}

