/** Files that are saved before a command runs, which would not see them otherwise. */
import assert from 'node:assert/strict';
import { call, assertContains, journey, replace, run, say, until } from './harness.ts';
import { waitForEditorText, lens, waitForPending } from './hunks.ts';

const files = { 'fee.py': 'fee = 250\n', 'notes.txt': 'one\n' };

journey('what the session changed is saved before a command, what the user wrote is not', { files }, async (code) => {
  await code.openFile('notes.txt');
  await code.page.keyboard.type('zero ');
  await code.model.add(call(replace('fee.py', '250', '300')), call(run('cat fee.py notes.txt; touch made.txt')), say('It is 300.'));
  await code.openFile('fee.py');
  await code.ask('Raise the fee and check it');
  await waitForPending(code, 1);
  await lens(code, 'Accept').click();
  await waitForEditorText(code, 'fee.py', 'fee = 300\n');
  const card = code.chatFrame.getByRole('group', { name: 'Run this command?' });
  await card.getByText('Saves first').waitFor();
  const asked = await card.innerText();
  assert.match(asked, /Saves first\s*fee\.py/);
  assert.match(asked, /Does not see the unsaved text of\s*notes\.txt/);
  await code.screenshot('save-asked');
  assert.equal(code.profile.read('fee.py'), 'fee = 250\n', 'nothing is saved before the answer');
  await code.answer('Run this command?', /Allow once/);
  await code.waitForText('It is 300.');
  assert.equal(code.profile.read('fee.py'), 'fee = 300\n');
  assert.equal(code.profile.read('notes.txt'), 'one\n');
  const output = await code.model.lastRequest();
  assertContains(output, 'fee = 300\\none');
  assertContains(output, 'notes.txt');
  const unsaved = () => code.window((vscode) => vscode.workspace.textDocuments.filter(({ isDirty }) => isDirty).map(({ fileName }) => fileName.replace(/.*\//, '')));
  await until('the editor knows', async () => (await unsaved()).join() === 'notes.txt');
});
