import * as vscode from 'vscode';
import { join } from 'node:path';
import { keySecret, type Launch } from '../server/launch';
import { startError } from '../server/start_error';
import type { Server } from '../server/server';
import { withoutLinks } from '../shared/visible';
import { tell } from '../tell';
import { words } from '../shared/words';

/** Where a key of the Gemini API can be got. */
const keysPage = 'https://aistudio.google.com/apikey';

/** How long a turn may run before the user is asked whether it ends for a new key, in ms. */
const patience = 1000;

/** Whether a key was refused, as opposed to not tried because of something else. */
function refused(error: unknown): boolean {
  const { data } = error as { data?: { code?: string } };
  return data?.code === 'auth_required';
}

/** Keeps the user's key, and has the server use it. */
export class SignIn implements vscode.Disposable {
  private readonly changed: vscode.Disposable;
  /** The key that a server has, or is about to have, after the last change in this window or another. */
  private given: { key: string | undefined; done: Promise<void> } | undefined;

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly server: Server,
    private readonly launch: Launch,
    private readonly log: vscode.LogOutputChannel,
    private readonly idle: () => Promise<void>,
  ) {
    // It fires in every window.
    this.changed = context.secrets.onDidChange(({ key }) => {
      if (key === keySecret) {
        void this.use();
      }
    });
  }

  dispose(): void {
    this.changed.dispose();
  }

  async hasKey(): Promise<boolean> {
    return (await this.context.secrets.get(keySecret)) !== undefined;
  }

  /** Asks for a key until there is a good one or the user gives up, and keeps it. Returns whether there is one. */
  signIn(): Promise<boolean> {
    const { l10n } = vscode;
    const get: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon('link-external'), tooltip: l10n.t(words.getKey) };
    const others: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon('question'), tooltip: l10n.t(words.otherProviders) };
    const box = vscode.window.createInputBox();
    box.title = l10n.t(words.keyTitle);
    box.prompt = l10n.t(words.keyPrompt);
    box.placeholder = l10n.t(words.pasteKey);
    box.password = true;
    box.ignoreFocusOut = true; // the key is fetched from another window
    box.buttons = [get, others];
    let unchecked: string | undefined; // a key that could not be checked, and is kept when it is given again
    return new Promise((resolve) => {
      box.onDidTriggerButton((button) => {
        if (button === get) {
          void vscode.env.openExternal(vscode.Uri.parse(keysPage));
        } else {
          box.hide();
          void this.others();
        }
      });
      box.onDidChangeValue(() => {
        box.validationMessage = undefined;
        unchecked = undefined;
      });
      box.onDidAccept(async () => {
        const key = box.value.trim();
        if (key === '' || box.busy) {
          return;
        }
        box.busy = true;
        box.enabled = false;
        const wrong = key === unchecked ? undefined : await this.check(key);
        if (!wrong) {
          await this.context.secrets.store(keySecret, key);
          await this.use();
          resolve(true);
          box.hide();
          void tell('info', l10n.t(words.signedIn));
        } else {
          box.busy = false;
          box.enabled = true;
          unchecked = wrong.final ? undefined : key;
          box.validationMessage = { message: withoutLinks(wrong.message), severity: vscode.InputBoxValidationSeverity.Error };
        }
      });
      box.onDidHide(() => {
        box.dispose();
        resolve(false);
      });
      box.show();
    });
  }

  /** Forgets the key. */
  async signOut(): Promise<void> {
    const { l10n } = vscode;
    if (!(await this.hasKey())) {
      void tell('info', l10n.t(words.noKey));
      return;
    }
    await this.context.secrets.delete(keySecret);
    await this.use();
    void tell('info', l10n.t(words.signedOut));
  }

  /** Explains Vertex AI, gateways and the environment. */
  async others(): Promise<void> {
    const page = vscode.Uri.joinPath(this.context.extensionUri, 'media', 'walkthrough', 'providers.md');
    await vscode.commands.executeCommand('markdown.showPreview', page);
  }

  /** Says what is wrong with a key; `final` when trying again cannot help. */
  private async check(key: string): Promise<{ message: string; final: boolean } | undefined> {
    let command = '';
    try {
      const program = this.launch.program(['lsp'], key);
      command = program.command;
      const client = require(join(this.context.extensionPath, 'dist', 'client.js')) as typeof import('../server/client');
      await client.tryKey(program, this.launch.userSettings(), this.log);
      return undefined;
    } catch (error) {
      if (refused(error)) {
        return { message: vscode.l10n.t(words.keyRefused), final: true };
      }
      const { message } = (error as { code?: unknown }).code === undefined ? (error as Error) : startError(error, command);
      return { message: vscode.l10n.t(words.keyUnchecked, sentence(message)), final: false };
    }
  }

  /**
   * Has a running server use the key of now: as soon as no turn runs, or when the user
   * says so. Each change comes twice: from who made it, and as an event.
   */
  private async use(): Promise<void> {
    const key = await this.context.secrets.get(keySecret);
    if (!this.given || this.given.key !== key) {
      this.given = { key, done: this.restart() };
    }
    await this.given.done;
  }

  private async restart(): Promise<void> {
    if (this.server.state.state !== 'running') {
      return; // the next start takes it
    }
    await Promise.race([this.idle(), this.hurried()]);
    await this.server.restart().catch(() => {}); // the status bar says why it does not run
  }

  /** Resolves when the user wants the server to be restarted although a turn runs. They are asked if it lasts. */
  private async hurried(): Promise<void> {
    const idle = this.idle().then(() => true);
    if (await Promise.race([idle, new Promise<false>((resolve) => setTimeout(resolve, patience, false))])) {
      return;
    }
    const restart = vscode.l10n.t(words.restartServer);
    if ((await tell('info', vscode.l10n.t(words.keyLater), restart)) !== restart) {
      await idle;
    }
  }
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
