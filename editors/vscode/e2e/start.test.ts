import assert from 'node:assert/strict';
import { chmodSync, existsSync, readFileSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nightly, waitForValue, journey, say, until, type Code } from './harness.ts';

const files = { 'fee.py': 'def fee(minutes):\n    return minutes // 60 * 250\n' };

/** The process that started another. */
function parent(pid: number): number {
  return Number(/^PPid:\s*(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]);
}

/** The text of the item in the status bar. */
function status(code: Code): Promise<string> {
  return code.page.locator('.statusbar-item[id$="emendo.status"]').innerText({ timeout: 1000 });
}

/** How often the extension has connected to a server, as its log tells. */
function connected(code: Code): number {
  const logs = code.profile.logs('Emendo.log');
  return logs.join('').split('connected: emendo ').length - 1;
}

/** The texts of all notices. */
function notices(code: Code): Promise<string[]> {
  return code.page.locator('.notification-toast .notification-list-item-message').allInnerTexts();
}

/** Presses a button of a notice. */
async function press(code: Code, label: string): Promise<void> {
  await code.page.locator('.notification-toast').getByRole('button', { name: label, exact: true }).click();
}

journey('a key is asked for, tried, kept over a reload, and forgotten', { files, signedOut: true }, async (code) => {
  const input = code.page.locator('.quick-input-widget input:visible');
  const message = code.page.locator('.quick-input-message');
  await code.palette('Emendo: Sign In');
  await waitForValue(() => input.getAttribute('type'), 'password');
  await input.fill('not-the-key');
  await input.press('Enter');
  await until('the key is refused', async () => /refuses this key/.test(await message.innerText()));
  await code.screenshot('start-key-refused');
  await input.fill(code.model.key);
  await input.press('Enter');
  await until('the key is taken', async () => (await notices(code)).some((text) => /Signed in/.test(text)));
  await code.model.add(say('Because of the tariff.'));
  await code.ask('Why 250?');
  await code.waitForText('Because of the tariff.');

  await code.load();
  await code.model.add(say('As I said.'));
  await code.ask('Really?');
  await code.waitForText('As I said.');

  await code.palette('Emendo: Sign Out');
  await until('the key is gone', async () => (await notices(code)).some((text) => /Signed out/.test(text)));
  await code.ask('And now?');
  await until('the status bar asks to sign in', async () => /sign in/.test(await status(code)));
  await code.screenshot('start-signed-out');
});

journey("a server that dies comes back, and one that dies often is the user's to start", { files }, async (code) => {
  await code.model.add(say('Once.'));
  await code.ask('Say it');
  await code.waitForText('Once.');
  let [last] = code.profile.servers();
  for (let deaths = 1; deaths <= 4; deaths++) {
    const before = connected(code);
    process.kill(last!, 'SIGKILL');
    await until('the extension has another server', () => connected(code) > before);
    last = await until('it runs', () => code.profile.servers().find((pid) => pid !== last));
  }
  await until('the status bar shows that it is ready', async () => (await status(code)).trim() === 'Emendo');
  await code.model.add(say('Twice.'));
  await code.ask('Again');
  await code.waitForText('Twice.');
  assert.deepEqual(await notices(code), [], 'the user is not bothered');

  process.kill(last!, 'SIGKILL');
  await until('the user is told', async () => (await notices(code)).some((text) => /is not running/.test(text)));
  await until('the status bar says so', async () => /stopped/.test(await status(code)));
  await code.screenshot('start-died');
  await press(code, 'Restart');
  await until('a server runs', () => code.profile.servers().length === 1);
  await code.model.add(say('Three times.'));
  await code.ask('And again');
  await code.waitForText('Three times.');

  [last] = code.profile.servers();
  process.kill(parent(last!), 'SIGKILL');
  await until('the server has gone with its window', () => !code.profile.servers().includes(last!));
});

const paths: [what: string, path: string, program: string | undefined, says: RegExp][] = [
  ['a program that is not there', '/no/such/emendo', undefined, /There is no "\/no\/such\/emendo", which the setting emendo\.path names/],
  ['a program for another machine', 'WORKSPACE/emendo', 'MZ and nothing more', /no program for this machine/],
  ['a program that is not emendo', '/bin/cat', undefined, /cannot be used|is not emendo/],
  ['a program that ends', '/bin/false', undefined, /"\/bin\/false" cannot be used\. It ended with status 1/],
];

nightly('the setting emendo.path is explained when it is wrong', { files }, async (code) => {
  for (const [what, path, program, says] of paths) {
    if (program !== undefined) {
      code.profile.write('emendo', program);
      chmodSync(code.profile.file('emendo'), 0o755);
    }
    await code.window(
      (vscode, path) => vscode.workspace.getConfiguration('emendo').update('path', path, vscode.ConfigurationTarget.Global),
      path.replace('WORKSPACE', code.profile.workspace),
    );
    await code.palette('Emendo: Restart Server');
    await until(`${what} is explained`, async () => (await notices(code)).some((text) => says.test(text)), 40_000);
    await code.screenshot(`start-path-${paths.findIndex((row) => row[0] === what)}`);
    await code.command('notifications.clearAll');
  }
  await code.window((vscode) => vscode.workspace.getConfiguration('emendo').update('path', undefined, vscode.ConfigurationTarget.Global));
  await code.palette('Emendo: Restart Server');
  await until('the program of the extension runs', () => code.profile.servers().length === 1);
});

journey('settings of the user reach the server, those of a workspace only where a project may have them', {
  files: {
    ...files,
    '.vscode/settings.json': JSON.stringify({
      'emendo.path': '/no/such/program',
      'emendo.env': { GEMINI_API_KEY: 'stolen' },
      'emendo.general.defaultApprovalMode': 'auto_edit',
      'emendo.tools.allowed': ['run_shell_command'],
      'emendo.useWriteTodos': false,
    }),
  },
  settings: { 'emendo.model.name': 'gemini-2.5-flash' },
}, async (code) => {
  await code.model.add(say('First.'));
  await code.ask('One');
  await code.waitForText('First.');
  const offered = (body: unknown): string => JSON.stringify((body as { tools: unknown }).tools);
  const first = (await code.model.requests()).at(-1)!;
  assert.match(first.model, /gemini-2\.5-flash/);
  assert.ok(!offered(first.body).includes('write_todos'), "the workspace's setting applies");
  await until('the mode is the usual one', async () =>
    (await code.page.locator('.statusbar-item[id$="emendo.status"]').getAttribute('aria-label'))?.match(/Mode: (?!.*auto)/i));

  await code.window((vscode) => vscode.workspace.getConfiguration('emendo').update('tools.exclude', ['save_memory'], vscode.ConfigurationTarget.Global));
  await code.model.add(say('Second.'));
  assert.ok(offered(first.body).includes('save_memory'));
  await code.ask('Two');
  await code.waitForText('Second.');
  assert.ok(!offered((await code.model.requests()).at(-1)!.body).includes('save_memory'), "the user's setting applies while the server runs");
});

nightly("the user's own settings begin with the window", { files, settings: { 'emendo.general.defaultApprovalMode': 'auto_edit' } }, async (code) => {
  await code.model.add(say('First.'));
  await code.ask('One');
  await code.waitForText('First.');
  await until('the mode is the chosen one', async () =>
    (await code.page.locator('.statusbar-item[id$="emendo.status"]').getAttribute('aria-label'))?.match(/Mode: .*auto/i));
});

nightly('the doctor, the menu and the walkthrough are at hand', { files }, async (code) => {
  const missing = await code.window(async (vscode) => {
    const emendo = vscode.extensions.getExtension('emendo.emendo')!;
    await emendo.activate();
    const { commands, keybindings } = emendo.packageJSON.contributes;
    const there = new Set(await vscode.commands.getCommands(true));
    return [...commands, ...keybindings].map(({ command }: { command: string }) => command).filter((command) => !there.has(command));
  });
  assert.deepEqual(missing, [], 'every command has something behind it');
  await code.palette('Emendo: Doctor');
  const report = code.page.locator('iframe.webview.ready').contentFrame().frameLocator('iframe#active-frame');
  await report.getByRole('heading', { name: 'Emendo: Doctor' }).waitFor();
  await report.getByText('credentials').waitFor();
  await code.screenshot('start-doctor');
  await code.page.locator('.statusbar-item[id$="emendo.status"] a').click();
  await code.page.locator('.quick-input-list').getByText('Restart Server').waitFor();
  await code.screenshot('start-menu');
  await code.page.keyboard.press('Escape');
  await code.palette('Emendo: Get Started');
  await code.page.locator('.getting-started-media iframe.webview.ready').contentFrame().frameLocator('iframe#active-frame').locator('svg').waitFor();
  await code.screenshot('start-walkthrough');
});

journey('a window without a folder says what works there', { files }, async (code) => {
  await code.load('');
  await code.model.add(say('An answer.'));
  await code.ask('What is a monad?');
  await code.waitForText('An answer.');
  assert.ok(!JSON.stringify((await code.model.requests())[0]!.body).includes('fee.py'));
  await code.chatFrame.getByText('No folder is open').waitFor();
  const item = code.page.locator('.statusbar-item[id$="emendo.status"]');
  await until('the status bar tells', async () => (await item.getAttribute('aria-label'))?.includes('No folder is open'));
  await code.screenshot('start-no-folder');
});

journey('programs in terminals are served from the start', { files, settings: { 'emendo.companion.enabled': true } }, async (code) => {
  const folder = join(tmpdir(), 'gemini', 'ide');
  const announced = await until('the editor is announced', () => {
    const files = existsSync(folder) ? readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8')) : [];
    return files.find((text) => text.includes(`"workspacePath":${JSON.stringify(code.profile.workspace)}`));
  });
  assert.match(JSON.parse(announced).ideInfo.displayName, /code-server|Visual Studio Code/);
});
