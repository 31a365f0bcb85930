import assert from 'node:assert/strict';
import { nightly, waitForValue, until } from './harness.ts';

const refused = /Emendo cannot work in a virtual workspace \(memo\): its server needs the files on a disk/;

nightly('a virtual workspace is told to be unsupported', {}, async (code) => {
  await code.load('memo:/parking');
  await code.window(async (vscode) => vscode.window.showTextDocument(vscode.Uri.parse('memo:/parking/fee.toy')));
  await waitForValue(() => code.editorText(), 'let rate = 250\n', 'the folder works for others');
  const item = code.page.locator('.statusbar-item[id$="emendo.status"]');
  await until('the status bar says so', async () => refused.test((await item.getAttribute('aria-label')) ?? ''));
  const chat = await code.chat();
  await chat.getByText(refused).first().waitFor();
  assert.deepEqual(await code.axe(), []);
  await code.screenshot('virtual');

  await code.ask('What is the rate?');
  await until('the prompt is kept', async () => (await code.prompt.inputValue()) === 'What is the rate?');
  await until('the prompt box says why', async () => (await chat.getByRole('alert').getByText(refused).count()) === 2);
  await code.screenshot('virtual-asked');
  assert.deepEqual(code.profile.servers(), [], 'no server is started');
  assert.deepEqual(await code.model.requests(), []);
});
