import * as vscode from 'vscode';
import type { ChatViews } from '../chat/views';
import type { Server } from '../server/server';
import { range as wire } from '../chat/context';

/** What the server offers for what a review has found: commands, since the client declares no code actions. */
interface Offered {
  title: string;
  arguments: [Record<string, unknown>];
}

/** Fix, Explain and Dismiss for what a review has found, as the server words them. */
export class FindingActions implements vscode.CodeActionProvider {
  static readonly kind = vscode.CodeActionKind.QuickFix.append('emendo');

  constructor(private readonly server: Server) {}

  async provideCodeActions({ uri }: vscode.TextDocument, range: vscode.Range, { diagnostics }: vscode.CodeActionContext): Promise<vscode.CodeAction[]> {
    const found = diagnostics.filter(({ source, code }) => source === 'emendo' && code === 'finding');
    if (found.length === 0) {
      return [];
    }
    const only = ['fixFinding', 'explainFinding', 'dismissFinding'].map((name) => `${FindingActions.kind.value}.${name}`);
    const offered = await this.server.request<Offered[] | null>('textDocument/codeAction', {
      textDocument: { uri: uri.toString() },
      range: wire(range),
      context: { diagnostics: [], only },
    });
    return (offered ?? []).map(({ title, arguments: given }) => {
      const action = new vscode.CodeAction(title, FindingActions.kind);
      action.command = { title, command: 'emendo.finding', arguments: given };
      action.diagnostics = found;
      return action;
    });
  }
}

/** Has the changes reviewed that are not committed. What is found shows as problems while the review runs. */
export async function reviewChanges(server: Server, views: ChatViews): Promise<void> {
  const session = views.sessionId === undefined ? {} : { sessionId: views.sessionId };
  const { sessionId } = await server.execute<{ sessionId: string }>('emendo.reviewChanges', { of: 'uncommitted', ...session });
  await views.reveal(sessionId, false);
}
