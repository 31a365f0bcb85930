import assert from 'node:assert/strict';
import { call, type Code, assertContains, journey, replace, run, say, until } from './harness.ts';
import { waitForEditorText, lens, waitForChanges, waitForPending } from './hunks.ts';

const files = { 'fee.py': 'fee = 1\n', '../tariff/rate.py': 'rate = 1\n', '../both.code-workspace': '{"folders": [{"path": "parking"}, {"path": "tariff"}]}' };
const settings = { 'security.workspace.trust.startupPrompt': 'never', 'security.workspace.trust.emptyWindow': false };
const rate = '../tariff/rate.py';

/** Opens the workspace of both folders in this window. VS Code may miss the folders while it connects, and finds them when it is loaded again. */
async function openBoth(code: Code): Promise<void> {
  await until('both folders are open', async () => {
    await code.load(code.profile.file('../both.code-workspace'));
    return (await code.window((vscode) => vscode.workspace.workspaceFolders?.length)) === 2;
  });
}

journey('a file of the second folder is mentioned, changed, and its folder trusted later', { files, settings, workspaceTrust: true }, async (code) => {
  await openBoth(code);
  await code.openFile(rate);
  const chat = await code.chat();
  await code.prompt.click();
  await code.prompt.pressSequentially('Raise @rate');
  await chat.getByRole('listbox', { name: 'Suggestions' }).getByRole('option', { name: /tariff\/rate\.py/ }).first().waitFor();
  await code.prompt.press('Enter');
  const path = code.profile.file(rate);
  await code.model.add(call(replace(path, 'rate = 1', 'rate = 2'), replace('fee.py', 'fee = 1', 'fee = 2')), say('Raised.'));
  await code.prompt.press('Enter');
  await waitForChanges(code, /fee\.py, 1 pending/, /rate\.py, 1 pending/);
  assertContains(await code.model.lastRequest(), path);
  await waitForPending(code, 1);
  await lens(code, 'Accept').click();
  await waitForEditorText(code, rate, 'rate = 2\n');
  await code.command('emendo.acceptAll');
  await until('the closed file of the first folder is changed', () => code.profile.read('fee.py') === 'fee = 2\n');
  await code.waitForText('Raised.');

  // Neither folder is trusted yet, so nothing runs.
  await code.model.add(call(run('pwd')), say('Not here.'));
  await code.ask('Where are you?');
  await code.waitForText('Not here.');
  assertContains(await code.model.lastRequest(), 'untrusted');
  assert.equal(await code.window((vscode) => vscode.workspace.isTrusted), false);
});
