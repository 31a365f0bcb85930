/** What is done with the session that is shown: its mode, its model, its text. */
import assert from 'node:assert/strict';
import { assertContains, journey, nightly, say, until, type Code } from './harness.ts';

const files = { 'fee.py': 'def fee(minutes):\n    return minutes * 250\n' };

/** The mode and the model as the toolbar of the prompt names them. */
function pick(code: Code, what: 'Mode' | 'Model', value: RegExp): Promise<void> {
  return code.chatFrame.getByRole('button', { name: new RegExp(`^${what}: ${value.source}`) }).waitFor();
}

/** What the status bar says to a screen reader. */
function status(code: Code): Promise<string | null> {
  return code.page.locator('.statusbar-item[id$="emendo.status"]').getAttribute('aria-label');
}

journey('mode and model are chosen by commands, before the first prompt and after', { files }, async (code) => {
  const panel = code.chatFrame.getByRole('dialog');
  await code.palette('Emendo: Choose Mode of the Session');
  await panel.getByRole('option', { name: /Plan/ }).waitFor();
  await code.screenshot('sessions-mode');
  await panel.getByRole('option', { name: /Plan/ }).click();
  await pick(code, 'Mode', /Plan/);
  await code.model.add(say('A plan.'));
  await code.ask('Plan it');
  await code.waitForText('A plan.');
  const plan = (await code.model.requests()).at(-1)!;
  assertContains(await code.model.lastRequest(), '# Plan mode');
  await until('the status bar has the mode', async () => /Mode: Plan/.test((await status(code)) ?? ''));

  await code.palette('Emendo: Show Sessions');
  await until('the search has the focus', () => code.chatFrame.getByRole('searchbox').evaluate((field) => document.hasFocus() && document.activeElement === field));
  await code.palette('Emendo: Choose Model of the Session');
  await panel.getByRole('option').first().waitFor();
  await until('the field has the focus', () => panel.getByRole('combobox').evaluate((field) => document.activeElement === field));
  await code.page.keyboard.type('2.5 flash');
  await until('the list is short', async () => /^Gemini 2\.5 Flash\b(?!-)/.test(await panel.getByRole('option').first().innerText()));
  await code.page.keyboard.press('Enter');
  await pick(code, 'Model', /Gemini 2\.5 Flash/);
  await code.command('emendo.setMode');
  await until('the list has the focus', () => panel.getByRole('listbox').evaluate((list) => document.activeElement === list));
  await code.page.keyboard.press('Home');
  await code.page.keyboard.press('Enter');
  await pick(code, 'Mode', /Ask/);
  await code.model.add(say('Done.'));
  await code.ask('Do it');
  await code.waitForText('Done.');
  const last = (await code.model.requests()).at(-1)!;
  assert.notEqual(last.model, plan.model);
  assert.match(last.model, /gemini-2\.5-flash$/);
  assert.ok(!(await code.model.lastRequest()).includes('# Plan mode'), 'the model is no longer told to plan');
  await until('the status bar has both', async () => /Mode: Ask.*Model: .*2\.5-flash/.test((await status(code)) ?? ''));
});

nightly('a session is exported from the list, and copied from the palette', { files }, async (code) => {
  await code.model.add(say('It is by **minutes**.'));
  await code.ask('Explain the fee');
  await code.waitForText('It is by minutes.');
  await code.palette('Emendo: Copy the Conversation as Markdown');
  await until('it is in the clipboard', async () => (await code.window((vscode) => vscode.env.clipboard.readText())).includes('It is by **minutes**.'));

  const front = () => code.window((vscode) => ({ language: vscode.window.activeTextEditor?.document.languageId, text: vscode.window.activeTextEditor?.document.getText() ?? '' }));
  await code.palette('Emendo: Show Sessions');
  const row = code.chatFrame.locator('.session', { hasText: 'Explain the fee' });
  await row.hover();
  await row.getByRole('button', { name: /^Export as Markdown/ }).click();
  await until('the Markdown is open', async () => (await front()).language === 'markdown');
  const markdown = (await front()).text;
  assertContains(markdown, 'Explain the fee');
  assertContains(markdown, 'It is by **minutes**.');
  await code.screenshot('sessions-export');
  await row.hover();
  await row.getByRole('button', { name: /^Export as JSON/ }).click();
  await until('the JSON is open', async () => (await front()).language === 'json');
  assertContains(JSON.stringify(JSON.parse((await front()).text)), 'It is by **minutes**.');

  await code.palette('Emendo: New Session');
  await until('the prompt has the focus', () => code.prompt.evaluate((box) => document.hasFocus() && document.activeElement === box));
  await until('the new session is empty', async () => (await code.log.getByText('Explain the fee').count()) === 0);
});
