import assert from 'node:assert/strict';
import { journey, question, replace, run, say, until } from './harness.ts';

const files = { 'fee.py': 'def fee(minutes):\n    return minutes * 250\n' };

/** Themes of every kind that VS Code has. */
const themes = ['Default Dark Modern', 'Default Light Modern', 'Default High Contrast', 'Default High Contrast Light'];

const answer = [
  '# A heading\n\nText with `code`, **bold**, [a link](https://example.com) and fee.py:2.\n\n',
  '| a | b |\n| --- | --- |\n| 1 | 2 |\n\n- one\n- two\n\n> quoted\n\n',
  '```py\ndef fee(minutes):\n    return minutes * 250\n```\n',
];

journey('axe finds nothing serious in the view, whatever it shows', { files }, async (code) => {
  const found: unknown[] = [];
  const look = async (what: string): Promise<void> => {
    found.push(...(await code.axe()).map((violation) => ({ what, ...violation })));
  };
  await code.chat();
  await look('the empty view');

  await code.model.add({ events: [{ think: '**Looking** at the fee' }, ...answer.map((text) => ({ text })), { calls: [run('touch made.txt')] }] });
  await code.ask('What does it do?');
  await code.chatFrame.getByRole('group', { name: 'Run this command?' }).waitFor();
  await look('a question about a command');
  await code.model.add({ events: [{ calls: [question('In what should prices be?', 'Cents', 'Euros')] }] });
  await code.answer('Run this command?', /Allow once/);
  await code.chatFrame.getByText('In what should prices be?').waitFor();
  await look('a question of the model');
  await code.model.add({ events: [{ calls: [replace('fee.py', '250', '300')] }] }, say('That was all.'));
  await code.answer('The model asks', /Cents/);
  await until('an edit is proposed', async () => (await code.log.innerText()).includes('fee.py'));
  await look('a proposed edit');
  await code.palette('Emendo: Accept All Changes');
  await code.waitForText('That was all.');
  for (const theme of themes) {
    await code.window((vscode, theme) => vscode.workspace.getConfiguration('workbench').update('colorTheme', theme, true), theme);
    const kind = /High Contrast Light/.test(theme) ? 'vscode-high-contrast-light' : /High/.test(theme) ? 'vscode-high-contrast' : /Dark/.test(theme) ? 'vscode-dark' : 'vscode-light';
    const frame = await code.frame();
    await until(`the view has the theme ${theme}`, () => frame.evaluate((kind) => document.body.classList.contains(kind), kind));
    await look(`a conversation in ${theme}`);
    await code.screenshot(`accessible-${kind}`);
  }
  await code.palette('Emendo: Show Sessions');
  await code.chatFrame.getByRole('button', { name: /^What does it do\?/ }).waitFor();
  await look('the list of sessions');
  assert.deepEqual(found, []);
});
