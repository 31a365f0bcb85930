/** What menus of the source control, of the terminal, and lines above code offer. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import type { Locator } from 'playwright-core';
import { nightly, waitForValue, assertContains, say, until, type Code } from './harness.ts';

const files = { 'fee.py': 'def fee(minutes):\n    return minutes * 250\n\n\nRATE = 1\n', 'notes.txt': 'one\n' };

/** Chooses from the context menu of something. A menu that has just appeared takes no click, so it may click more than once. */
async function choose(code: Code, of: Locator, entry: string): Promise<void> {
  await of.click({ button: 'right' });
  await pick(code, entry);
}

/** Chooses an entry of the menu that is open. */
async function pick(code: Code, entry: string): Promise<void> {
  const item = code.page.getByRole('menuitem', { name: entry });
  await item.waitFor();
  await until(`${entry} is chosen`, async () => {
    if (await item.isVisible()) {
      await item.click({ timeout: 1000 });
    }
    return !(await item.isVisible());
  });
}

nightly('changes are explained from the view of source control', { files }, async (code) => {
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], { cwd: code.profile.workspace, env: code.profile.env });
  git('add', '.');
  git('commit', '-q', '-m', 'start');
  code.profile.write('fee.py', files['fee.py'].replace('250', '300'));
  code.profile.write('notes.txt', 'two\n');
  await code.command('workbench.view.scm');
  await until('git has seen both files', () =>
    code.window(async (vscode) => {
      const [repository] = (await vscode.extensions.getExtension('vscode.git')!.activate()).getAPI(1).repositories;
      await repository?.status();
      return repository?.state.workingTreeChanges.length === 2;
    }),
  );
  const row = (name: string) => code.page.locator('.scm-view .monaco-list-row .resource', { hasText: name });
  await row('fee.py').waitFor();
  await row('notes.txt').waitFor(); // the rows have their places
  await code.model.add(say('The fee is higher.'));
  const focused = code.page.locator('.scm-view .monaco-list-row.focused', { hasText: 'fee.py' });
  await until('the menu is about fee.py', async () => { // the rows may move under the mouse
    await row('fee.py').click({ button: 'right', timeout: 2000 });
    if (await focused.isVisible()) {
      return true;
    }
    await code.page.keyboard.press('Escape');
    return false;
  });
  await pick(code, 'Explain Changes');
  await code.waitForText('The fee is higher.');
  const asked = await code.model.lastRequest();
  assertContains(asked, '+    return minutes * 300');
  assert.ok(!asked.includes('+two'), 'the other file is not sent');
  await code.screenshot('code-explain-changes');

  await code.model.add(say('All of it.'));
  await code.palette('Emendo: Explain Changes');
  await code.waitForText('All of it.');
  assertContains((await code.model.requests()).at(-1)!.said, '+two');
});

nightly('the selection of the terminal is sent from its menu', { files }, async (code) => {
  await code.window(async (vscode) => {
    await vscode.env.clipboard.writeText('what the user had copied');
    const terminal = vscode.window.createTerminal({ name: 'tests' });
    terminal.show();
    terminal.sendText('echo par"king"-works');
  });
  const terminal = code.page.locator('.terminal-wrapper.active .xterm-screen');
  await terminal.waitFor();
  await until('the terminal has run it', async () => {
    await code.command('workbench.action.terminal.selectAll');
    await code.command('workbench.action.terminal.copySelection');
    return (await code.window((vscode) => vscode.env.clipboard.readText())).includes('parking-works');
  });
  await code.window((vscode) => vscode.env.clipboard.writeText('what the user had copied'));
  const chip = code.chatFrame.getByRole('group', { name: 'Context of the prompt' }).getByText('Terminal: tests');
  await choose(code, terminal, "Add Terminal's Selection to Chat");
  await chip.waitFor();
  await until('the focus is in the prompt', () => code.prompt.evaluate((box) => document.hasFocus() && document.activeElement === box));
  await waitForValue(() => code.window((vscode) => vscode.env.clipboard.readText()), 'what the user had copied');
  await code.screenshot('code-terminal-selection');
  await code.model.add(say('It works.'));
  await code.page.keyboard.type('What does it print?');
  await code.page.keyboard.press('Enter');
  await code.waitForText('It works.');
  assertContains(await code.model.lastRequest(), 'parking-works');
});

nightly('actions above functions are shown if the user wants them', { files, settings: { 'emendo.codeLens.enabled': true } }, async (code) => {
  // The tests' own symbols of Python: a function of two lines, and a variable.
  await code.window((vscode) => {
    const symbol = (name: string, kind: number, first: number, last: number) =>
      new vscode.DocumentSymbol(name, '', kind, new vscode.Range(first, 0, last, 30), new vscode.Range(first, 0, first, 3));
    const { Function, Variable } = vscode.SymbolKind;
    vscode.languages.registerDocumentSymbolProvider('python', {
      provideDocumentSymbols: () => [symbol('fee', Function, 0, 1), symbol('RATE', Variable, 4, 4)],
    });
  });
  await code.openFile('fee.py');
  const lenses = code.page.locator('.codelens-decoration:visible a');
  await until('they are above the function alone', async () => (await lenses.allInnerTexts()).join() === 'Explain,Document,Test');
  await code.screenshot('code-lenses');
  await code.model.add(say('By minutes.'));
  await lenses.getByText('Explain').click();
  await code.waitForText('By minutes.');
  const asked = await code.model.lastRequest();
  assertContains(asked, 'Explain the code in fee.py');
  assertContains(asked, 'return minutes * 250');
  await code.window((vscode) => vscode.workspace.getConfiguration('emendo').update('codeLens.enabled', false, true));
  await until('they are gone', async () => (await lenses.count()) === 0);
});
