import assert from 'node:assert/strict';
import { nightly, waitForValue, journey, say, until, type Code } from './harness.ts';

const files = {
  'fee.py': 'def fee(minutes):\n    hours = minutes // 60\n    return hours * 250\n',
  'rates.toy': 'let rate = 250\nhm rate is high\noops rate is unknown\n',
};

/** Chooses the first suggestion for what is typed behind an `@`. */
async function add(code: Code, word: string, label: RegExp): Promise<void> {
  await code.prompt.click();
  await code.prompt.pressSequentially(`@${word}`);
  const offers = code.chatFrame.getByRole('listbox', { name: 'Suggestions' });
  await offers.getByRole('option', { name: label }).click();
  await offers.waitFor({ state: 'detached' });
}

journey('symbols, problems and the selection of the terminal become context', { files }, async (code) => {
  await code.openFile('rates.toy');
  const chat = await code.chat();
  const chips = chat.getByRole('group', { name: 'Context of the prompt' });
  const removes = chips.getByRole('button', { name: /^Remove/ });

  await add(code, 'rat', /^rate\b(?!s)/);
  await until('the symbol is a chip', async () => (await removes.count()) === 1);
  await waitForValue(() => code.prompt.inputValue(), 'rate ');
  await add(code, 'prob', /[Pp]roblems/);
  await until('the problems are a chip', async () => (await removes.count()) === 2);

  await code.window(async (vscode) => {
    await vscode.env.clipboard.writeText('what the user had copied');
    const terminal = vscode.window.createTerminal({ name: 'tests' });
    terminal.show();
    terminal.sendText('echo par"king"-works');
  });
  await until('the terminal has run it', async () => {
    await code.command('workbench.action.terminal.selectAll');
    await code.command('workbench.action.terminal.copySelection');
    const copied = await code.window((vscode) => vscode.env.clipboard.readText());
    return copied.includes('parking-works');
  });
  await code.window((vscode) => vscode.env.clipboard.writeText('what the user had copied'));
  await add(code, 'term', /terminal/);
  await until('the selection is a chip', async () => (await removes.count()) === 3);
  await waitForValue(() => code.window((vscode) => vscode.env.clipboard.readText()), 'what the user had copied');
  await code.screenshot('context-chips');

  await code.model.add(say('Understood.'));
  await code.prompt.press('Enter');
  await code.waitForText('Understood.');
  const asked = await code.model.lastRequest();
  assert.match(asked, /let rate = 250/);
  assert.match(asked, /rate is unknown/);
  assert.match(asked, /parking-works/);

  await code.command('workbench.action.terminal.clearSelection');
  await add(code, 'term', /terminal/);
  await code.page.locator('.notifications-toasts').getByText('Nothing is selected in the terminal.').waitFor();
  await waitForValue(() => code.window((vscode) => vscode.env.clipboard.readText()), 'what the user had copied');

  await code.command('workbench.action.terminal.focus');
  await code.page.locator('.terminal-wrapper .xterm.focus').waitFor();
  await code.page.keyboard.press('Control+Alt+m');
  await until('the key works in the terminal too', () => code.prompt.evaluate((box) => document.hasFocus() && document.activeElement === box));
});

nightly('a chat in an editor tab leaves the file in front', { files, settings: { 'emendo.chat.sendWith': 'ctrlEnter' } }, async (code) => {
  await code.select('fee.py', 2, 4, 2, 10);
  await code.chat();
  await code.palette('Emendo: Open the Session in an Editor Tab');
  const tab = code.page.locator('iframe.webview.ready:not([src*="purpose=webviewView"])').contentFrame().frameLocator('iframe#active-frame');
  const prompt = tab.getByRole('textbox', { name: 'Prompt' });
  await prompt.click();
  await tab.getByRole('button', { name: 'Send what the editor shows: fee.py:3' }).waitFor();
  await prompt.pressSequentially('What is this?');
  await prompt.press('Enter');
  await waitForValue(() => prompt.inputValue(), 'What is this?\n', 'Enter begins a line');
  await code.model.add(say('A return.'));
  await prompt.press('Control+Enter');
  await tab.getByRole('log').getByText('A return.').waitFor();
  const asked = await code.model.lastRequest();
  assert.match(asked, /fee\.py/);
  assert.match(asked, /return/);
  await code.screenshot('context-tab');
});

nightly('a file is dragged from the explorer into the prompt with Shift', { files }, async (code) => {
  await code.chat();
  await code.palette('Emendo: Open the Session in an Editor Tab');
  const tab = code.page.locator('iframe.webview.ready:not([src*="purpose=webviewView"])').contentFrame().frameLocator('iframe#active-frame');
  const prompt = tab.getByRole('textbox', { name: 'Prompt' });
  await prompt.waitFor();
  await code.command('workbench.view.explorer');
  const from = (await code.page.locator('.explorer-folders-view .monaco-list-row', { hasText: 'fee.py' }).boundingBox())!;
  const to = (await prompt.boundingBox())!;
  const { mouse, keyboard } = code.page;
  await mouse.move(from.x + 60, from.y + from.height / 2);
  await mouse.down();
  await mouse.move(from.x + 90, from.y + from.height / 2 + 4, { steps: 4 });
  await keyboard.down('Shift');
  await mouse.move(from.x + 120, from.y + 60, { steps: 4 });
  await mouse.move(to.x + to.width / 2, to.y + to.height / 2, { steps: 10 });
  await until('the prompt shows that it takes the file', async () => (await tab.locator('.prompt.dragged').count()) === 1);
  await code.screenshot('context-drag');
  await mouse.up();
  await keyboard.up('Shift');
  await tab.getByRole('button', { name: /^fee\.py\. / }).waitFor();
});
