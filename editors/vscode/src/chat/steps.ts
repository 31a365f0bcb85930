import * as vscode from 'vscode';
import type { Step } from '../shared/view';
import { words } from '../shared/words';
import type { EditorContexts } from './context';
import { openPlace } from './open';

type Diff = Extract<Step, { diff: unknown }>['diff'];

/** The commands for what only the editor has. */
export const clientCommands: Record<Extract<Step, { client: unknown }>['client'], string> = {
  signIn: 'emendo.signIn',
  trust: 'emendo.trust',
  model: 'emendo.setModel',
  mode: 'emendo.setMode',
  context: 'emendo.showContext',
  log: 'emendo.showLog',
  doctor: 'emendo.doctor',
};

/** As many texts of diffs are kept; the oldest are of editors that were closed long ago. */
const mostTexts = 200;

/** The scheme of documents with a text of a file. */
export const textScheme = 'emendo-text';

/** Does what the server leaves to the editor. */
export class Steps implements vscode.Disposable {
  private readonly texts = new Map<string, string>();
  private last = 0;
  private readonly provider: vscode.Disposable;

  constructor(private readonly contexts: EditorContexts) {
    this.provider = vscode.workspace.registerTextDocumentContentProvider(textScheme, {
      provideTextDocumentContent: ({ query }) => this.texts.get(query),
    });
  }

  /** Does steps in their order, and returns those that a chat view does. */
  async run(steps: readonly Step[]): Promise<Step[]> {
    const left: Step[] = [];
    for (const step of steps) {
      if ('open' in step) {
        await openPlace(step.open, this.contexts.target);
      } else if ('diff' in step) {
        await this.diff(step.diff);
      } else if ('copy' in step) {
        await vscode.env.clipboard.writeText(step.copy);
      } else if ('terminal' in step) {
        await vscode.commands.executeCommand('emendo.openTerminal', step.terminal);
      } else if ('client' in step) {
        await vscode.commands.executeCommand(clientCommands[step.client]);
      } else {
        left.push(step);
      }
    }
    return left;
  }

  dispose(): void {
    this.provider.dispose();
  }

  /** Opens VS Code's diff editor on one file, or its multi-file diff on several. */
  private async diff(files: Diff): Promise<void> {
    const resources = files.map(({ place: { uri, newUri = uri }, old, new: text }) => [vscode.Uri.parse(newUri), this.document(uri, old), this.document(newUri, text)] as const);
    const title = vscode.l10n.t(words.changesIn, vscode.workspace.asRelativePath(resources[0]![0]));
    if (resources.length === 1) {
      const [, before, after] = resources[0]!;
      await vscode.commands.executeCommand('vscode.diff', before, after, title, { preview: true });
    } else {
      await vscode.commands.executeCommand('vscode.changes', vscode.l10n.t('Changes'), resources);
    }
  }

  /** A document with a text, which has the name of a file. */
  private document(uri: string, text: string): vscode.Uri {
    const query = String(++this.last);
    this.texts.set(query, text);
    this.texts.delete(String(this.last - mostTexts));
    return vscode.Uri.parse(uri).with({ scheme: textScheme, query });
  }
}
