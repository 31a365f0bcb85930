/** A window of VS Code that a test uses like a person and can inspect. */
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { chromium, type Browser, type Frame, type FrameLocator, type Locator, type Page } from 'playwright-core';
import type * as vscode from 'vscode';
import type { Model } from './model.ts';
import { failures, places, shots } from './places.ts';
import type { Profile } from './profile.ts';
import type { Served } from './served.ts';
import { until } from './until.ts';

/** A problem of a page, as reported by axe. */
interface Violation {
  id: string;
  impact: string;
  help: string;
  nodes: string[];
}

const flags = [
  '--no-sandbox', // containers have none for Chromium to use
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--font-render-hinting=none',
  '--enable-precise-memory-info',
];

let browser: Promise<Browser> | undefined;

/** The browser that all windows share, each with its own context. */
export function sharedBrowser(): Promise<Browser> {
  browser ??= chromium.launch({ executablePath: places().chromium, args: flags });
  return browser;
}

/** Closes the shared browser. */
export async function closeBrowser(): Promise<void> {
  await (await browser)?.close();
  browser = undefined;
}

export class Code {
  /** Uncaught errors of the page, and errors in its console. */
  readonly complaints: string[] = [];
  readonly profile: Profile;
  readonly model: Model;
  readonly page: Page;
  private readonly served: Served;

  private constructor(served: Served, page: Page) {
    this.profile = served.profile;
    this.model = served.model;
    this.served = served;
    this.page = page;
    page.on('pageerror', (error) => this.complaints.push(String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error') {
        this.complaints.push(message.text());
      }
    });
  }

  /** Opens the folder of the profile in a window. */
  static async open(served: Served): Promise<Code> {
    const context = await (await sharedBrowser()).newContext({
      viewport: served.options.size ?? { width: 1400, height: 900 },
      permissions: ['clipboard-read', 'clipboard-write'],
      extraHTTPHeaders: { 'Accept-Encoding': 'identity' }, // else code-server compresses 20 MB for each window
    });
    try {
      const code = new Code(served, await context.newPage());
      await code.load();
      return code;
    } catch (error) {
      await context.close();
      throw error;
    }
  }

  /** Loads or reloads the window, and waits until extensions run. A workspace file opens its folders, an empty name a window without a folder. */
  async load(folder = this.profile.workspace): Promise<void> {
    rmSync(this.profile.portFile, { force: true });
    const query = folder === '' ? 'ew=true' : `${folder.endsWith('.code-workspace') ? 'workspace' : 'folder'}=${folder}`;
    await this.page.goto(`${this.served.address}/?${query}`);
    await this.page.locator('.monaco-workbench .part.statusbar').waitFor({ timeout: 60_000 });
    await until('the extensions of the tests run', () => existsSync(this.profile.portFile), 60_000);
  }

  /** Reloads the window by the command. */
  async reload(): Promise<void> {
    rmSync(this.profile.portFile, { force: true });
    await this.palette('Developer: Reload Window');
    await until('the extensions of the tests run again', () => existsSync(this.profile.portFile), 60_000);
  }

  /** Ends everything. */
  async close(): Promise<void> {
    await this.page.context().close();
    await this.served.stop();
  }

  /** The chat view in the side bar, opened if necessary. */
  async chat(): Promise<FrameLocator> {
    if (!(await this.sideView().isVisible())) {
      await this.page.locator('.activitybar .action-item a[aria-label^="Emendo"]').click();
      await this.page.mouse.move(700, 2); // away from what would show a tooltip
    }
    await this.chatFrame.locator('#root > *').first().waitFor();
    return this.chatFrame;
  }

  /** The page of the chat view in the side bar. */
  get chatFrame(): FrameLocator {
    return this.sideView().contentFrame().frameLocator('iframe#active-frame');
  }

  private sideView(): Locator {
    return this.page.locator('iframe.webview.ready[src*="purpose=webviewView"]');
  }

  /** The same as a frame, in which scripts of the test can run. */
  async frame(): Promise<Frame> {
    await this.chat();
    return until('the view has its page', async () => {
      const inner = await (await this.sideView().elementHandle({ timeout: 1000 }))?.contentFrame();
      const active = await inner?.waitForSelector('iframe#active-frame', { timeout: 1000 });
      return active?.contentFrame(); // null while the view is loaded again
    });
  }

  /** Has the chat view load its page again, and returns once the old one is gone. */
  async reloadView(): Promise<void> {
    const old = await this.frame();
    await this.command('workbench.action.webview.reloadWebviewAction');
    await until('the page of the view is gone', async () => old.isDetached());
  }

  /** The prompt box of the chat view. */
  get prompt(): Locator {
    return this.chatFrame.getByRole('textbox', { name: 'Prompt' });
  }

  /** The conversation in the chat view. */
  get log(): Locator {
    return this.chatFrame.getByRole('log');
  }

  /** Writes a prompt and sends it. */
  async ask(text: string): Promise<void> {
    await this.chat();
    await this.prompt.fill(text);
    await this.prompt.press('Enter');
  }

  /** Waits until the conversation shows a text. */
  async waitForText(text: string): Promise<void> {
    await until(`the conversation shows ${text}`, async () => (await this.log.innerText({ timeout: 1000 })).includes(text));
  }

  /** Answers a question by a button. A card that has just appeared ignores clicks, so it may press more than once. */
  async answer(title: string, label: RegExp): Promise<void> {
    const card = this.chatFrame.getByRole('group', { name: title });
    await card.waitFor();
    await until(`the question ${title} is answered`, async () => {
      if (await card.isVisible()) {
        await card.getByRole('button', { name: label }).click({ timeout: 1000 });
      }
      return !(await card.isVisible());
    });
  }

  /** Runs a command from the palette by its title. */
  async palette(title: string): Promise<void> {
    const input = this.page.locator('.quick-input-widget input:visible');
    await until('the palette is open', async () => { // it closes when something else takes the focus
      await this.page.keyboard.press('F1');
      return input.fill(`>${title}`, { timeout: 2000 }).then(
        () => true,
        () => false,
      );
    });
    const first = this.page.locator('.quick-input-list .monaco-list-row.focused');
    await until(`the palette offers ${title}`, async () => (await first.getAttribute('aria-label', { timeout: 1000 }))?.includes(title));
    await this.page.keyboard.press('Enter');
  }

  /** Presses a key until it has an effect: the effect of a key may lag behind the cursor. */
  async pressUntil(key: string, what: string, holds: () => Promise<unknown>): Promise<void> {
    await until(what, async () => {
      await this.page.keyboard.press(key);
      return until(what, holds, 3000).catch(() => false);
    });
  }

  /** Opens a file of the workspace permanently, with the focus in it. */
  async openFile(name: string): Promise<void> {
    await this.select(name, 0, 0, 0, 0);
  }

  /** Selects text in a file. Positions are zero-based, the end is exclusive. */
  async select(name: string, line: number, character: number, endLine: number, endCharacter: number): Promise<void> {
    await this.window(
      async (vscode, path, a, b, c, d) => {
        const document = await vscode.workspace.openTextDocument(vscode.Uri.file(path));
        await vscode.window.showTextDocument(document, { preview: false, selection: new vscode.Range(a, b, c, d) });
      },
      this.profile.file(name), line, character, endLine, endCharacter,
    );
    await this.waitForFocus();
  }

  /** Waits until keys go to the active text editor. VS Code calls it active a moment before it has the focus. */
  async waitForFocus(): Promise<void> {
    await this.page.locator('.editor-group-container.active .monaco-editor.focused').first().waitFor();
  }

  /** The editor's text of a file, saved or not; without a name, of the active editor. */
  editorText(name?: string): Promise<string | undefined> {
    return this.window(
      (vscode, path) =>
        path === ''
          ? vscode.window.activeTextEditor?.document.getText()
          : vscode.workspace.textDocuments.find(({ uri }) => uri.scheme === 'file' && uri.fsPath === path)?.getText(), // a proposal has the same path
      name === undefined ? '' : this.profile.file(name),
    );
  }

  /** The labels of all tabs. */
  tabs(): Promise<string[]> {
    return this.window((vscode) => vscode.window.tabGroups.all.flatMap((group) => group.tabs.map((tab) => tab.label)));
  }

  /** Runs a command of VS Code by its name. */
  command(name: string, ...args: unknown[]): Promise<unknown> {
    return this.window((vscode, name, args) => vscode.commands.executeCommand(name, ...args), name, args);
  }

  /**
   * Runs a function in the extension host. It sees its arguments and nothing of
   * the test; both they and what it returns are JSON.
   */
  async window<A extends unknown[], R>(run: (api: typeof vscode, ...args: A) => R | Thenable<R>, ...args: A): Promise<R> {
    const port = readFileSync(this.profile.portFile, 'utf8');
    const body = JSON.stringify({ source: run.toString(), args });
    const answer = (await (await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body })).json()) as { result: R; error?: string };
    if (answer.error !== undefined) {
      throw new Error(`in the window: ${answer.error}`);
    }
    return answer.result;
  }

  /** Takes a picture of the window, or of a part of it. */
  async screenshot(name: string, of?: Locator): Promise<string> {
    mkdirSync(shots, { recursive: true });
    const path = join(shots, `${name}.png`);
    await (of ?? this.page).screenshot({ path, animations: 'disabled' });
    return path;
  }

  /** The serious and critical problems that axe finds in the chat view, once nothing in it moves. */
  async axe(frame?: Frame): Promise<Violation[]> {
    const view = frame ?? (await this.frame());
    await view.evaluate(async () => { // a card that has just appeared is dim
      const ending = document.getAnimations().filter(({ effect }) => Number.isFinite(effect?.getComputedTiming().endTime));
      await Promise.allSettled(ending.map(({ finished }) => finished));
    });
    const source = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
    await view.evaluate(source);
    // A view is transparent; axe has to know the colour of what is behind it.
    await view.evaluate(() => (document.documentElement.style.background = 'var(--vscode-sideBar-background)'));
    const found = (await view.evaluate('axe.run(document)')) as {
      violations: { id: string; impact: string; help: string; nodes: { html: string; failureSummary: string }[] }[];
    };
    return found.violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, impact, help, nodes }) => ({ id, impact, help, nodes: nodes.map((node) => `${node.html}: ${node.failureSummary}`) }));
  }

  /** Stores data about a failure: a screenshot, logs, and the requests to the model. */
  async report(name: string): Promise<string> {
    const folder = join(failures, name.replace(/\W+/g, '-').toLowerCase());
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    await this.page.screenshot({ path: join(folder, 'window.png'), timeout: 10_000 }).catch(() => {});
    const requests = await this.model.requests().catch(() => []);
    writeFileSync(join(folder, 'model.json'), JSON.stringify(requests, null, 2));
    writeFileSync(join(folder, 'page.txt'), this.complaints.join('\n'));
    writeFileSync(join(folder, 'code-server.txt'), this.served.server.output);
    for (const [from, to] of [[join(this.profile.data, 'logs'), 'logs'], [join(this.profile.folder, 'emendo'), 'emendo']] as const) {
      if (existsSync(from)) {
        cpSync(from, join(folder, to), { recursive: true });
      }
    }
    return folder;
  }
}
