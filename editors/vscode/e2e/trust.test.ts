import assert from 'node:assert/strict';
import { assertContains, journey, run, say, until } from './harness.ts';

const files = { 'fee.py': 'def fee(minutes):\n    return minutes * 250\n', 'GEMINI.md': 'Always answer in rhyme.\n' };
const settings = { 'security.workspace.trust.startupPrompt': 'never', 'security.workspace.trust.emptyWindow': false };

journey('a folder is restricted until Workspace Trust is given', { files, settings, workspaceTrust: true }, async (code) => {
  assert.equal(await code.window((vscode) => vscode.workspace.isTrusted), false);
  await code.model.add({ events: [{ calls: [run('touch made.txt')] }] }, say('I may not run it.'));
  await code.ask('Make a file.');
  await code.waitForText('I may not run it.');
  const before = await code.model.lastRequest();
  assertContains(before, 'trust');
  assert.ok(!before.includes('Always answer in rhyme.'), 'a restricted folder has no say in the prompt');
  assert.equal(code.profile.read('made.txt'), undefined);
  await code.screenshot('trust-restricted');
  const servers = code.profile.servers();
  const item = code.page.locator('.statusbar-item[id$="emendo.status"]');
  assert.match((await item.getAttribute('aria-label'))!, /not trusted/);

  await code.palette('Workspaces: Manage Workspace Trust');
  await code.page.getByRole('button', { name: 'Trust', exact: true }).click();
  await until('the folder is trusted', () => code.window((vscode) => vscode.workspace.isTrusted));
  const dialog = code.page.locator('.monaco-modal-editor-block');
  await dialog.getByRole('button', { name: /^Close/ }).first().click();
  await dialog.waitFor({ state: 'hidden' });

  await code.model.add({ events: [{ calls: [run('touch made.txt')] }] }, say('It is made.'));
  await code.ask('Make it now.');
  await code.answer('Run this command?', /Allow once/);
  await code.waitForText('It is made.');
  assert.equal(code.profile.read('made.txt'), '');
  assertContains(await code.model.lastRequest(), 'Always answer in rhyme.');
  assert.deepEqual(code.profile.servers(), servers, 'the server is the same');
  assert.doesNotMatch((await item.getAttribute('aria-label'))!, /not trusted/);
});
