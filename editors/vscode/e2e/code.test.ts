import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { isDeepStrictEqual } from 'node:util';
import { call, assertContains, journey, nightly, replace, run, say, until, type Code } from './harness.ts';

const fee = 'def fee(minutes):\n    hours = minutes // 60\n    return hours * 250\n';
const files = { 'fee.py': fee, 'park.toy': 'let rate = 250\noops the rate is wrong\nlet tax = 7\n' };

/** The titles of the code actions at a place, of a kind if one is named. */
function actions(code: Code, name: string, lines: [first: number, last: number], kind?: string): Promise<string[]> {
  return code.window(
    async (vscode, path, [first, last], kind) => {
      const range = new vscode.Range(first, 0, last, first === last ? 0 : 1);
      const found = await vscode.commands.executeCommand<{ title: string }[]>('vscode.executeCodeActionProvider', vscode.Uri.file(path), range, kind);
      return found.map(({ title }) => title).filter((title) => title.includes('Emendo')).sort();
    },
    code.profile.file(name), lines, kind,
  );
}

/** Waits until the titles are offered: VS Code gives none when another extension registers its own actions meanwhile. */
async function offers(code: Code, name: string, lines: [first: number, last: number], titles: string[], kind?: string): Promise<void> {
  const sorted = [...titles].sort();
  await until(`${kind ?? 'any kind'} offers ${sorted.join(', ')}`, async () => isDeepStrictEqual(await actions(code, name, lines, kind), sorted));
}

const input = (code: Code) => code.page.locator('.quick-input-widget input:visible');

journey('code actions are offered before the server runs, and by kind', { files }, async (code) => {
  await code.openFile('park.toy');
  await until('the problem is there', async () => (await code.window((vscode) => vscode.languages.getDiagnostics().length)) > 0);
  const tasks = ['Document with Emendo', 'Explain with Emendo', 'Review with Emendo', 'Write Tests with Emendo'];
  await offers(code, 'park.toy', [0, 1], ['Fix with Emendo', 'Edit with Emendo…', ...tasks]);
  await offers(code, 'park.toy', [2, 2], ['Edit with Emendo…', ...tasks]);
  await offers(code, 'park.toy', [0, 1], ['Fix with Emendo'], 'quickfix');
  await offers(code, 'park.toy', [0, 1], tasks, 'source');
  await offers(code, 'park.toy', [0, 1], ['Edit with Emendo…'], 'refactor.rewrite');
  assert.deepEqual(await actions(code, 'park.toy', [0, 1], 'source.organizeImports'), []);
  await code.select('park.toy', 1, 0, 1, 21);
  const fix = code.page.locator('.action-widget').getByText('Fix with Emendo');
  await code.pressUntil('Control+.', 'the actions are shown', () => fix.isVisible());
  await code.screenshot('code-actions');
  assert.deepEqual(code.profile.servers(), [], 'nothing has started the server');
});

journey('an edit by an instruction at the selection comes as changes to decide', { files }, async (code) => {
  await code.model.add(
    call(replace(code.profile.file('fee.py'), '    return hours * 250\n', '    return -(-minutes // 60) * 250\n')),
    say('Done.'),
  );
  await code.select('fee.py', 2, 0, 3, 0); // the whole line, with the cursor below it
  await code.page.keyboard.press('Control+Alt+k');
  await input(code).waitFor();
  await code.page.keyboard.type('round up');
  await code.screenshot('code-edit-asked');
  await code.page.keyboard.press('Enter');
  const accept = code.page.locator('.codelens-decoration a').filter({ hasText: 'Accept' });
  await accept.waitFor();
  await code.screenshot('code-edit-proposed');
  assert.equal(await code.editorText('fee.py'), fee, 'nothing is edited before it is accepted');
  const asked = await code.model.lastRequest();
  assertContains(asked, 'round up');
  assertContains(asked, 'return hours * 250');
  await code.pressUntil('Control+Alt+y', 'the edit is made by its key', async () => (await code.editorText('fee.py'))?.includes('-(-minutes // 60)'));
  await until('the session is over', async () => (await code.model.requests()).length === 2);

  await code.select('fee.py', 0, 0, 0, 3);
  await code.page.keyboard.press('Control+Alt+k');
  await code.page.locator('.quick-input-list').getByText('round up').waitFor();
  await code.page.keyboard.press('Escape');
});

nightly('what an edit at the selection asks is answered beside the conversation', { files }, async (code) => {
  await code.model.add(say('By minutes.'));
  await code.ask('Explain the fee');
  await code.waitForText('By minutes.');
  const edit = async (made: string): Promise<void> => {
    await code.model.add(call(run(`touch ${made}`)), say('No edit is needed.'));
    await code.select('fee.py', 2, 0, 2, 10);
    await code.page.keyboard.press('Control+Alt+k');
    await input(code).waitFor();
    await code.page.keyboard.type('round up');
    await code.page.keyboard.press('Enter');
  };

  await edit('one.txt');
  const notice = code.page.locator('.notifications-toasts .notification-list-item', { hasText: 'touch one.txt' });
  await notice.getByText(/^Edits fee\.py:3\. .*Run this command\? touch one\.txt$/).waitFor();
  const card = code.chatFrame.getByRole('group', { name: 'Run this command?' });
  await card.getByText('Edits fee.py:3').waitFor();
  await code.screenshot('code-edit-asks');
  await notice.getByRole('button', { name: 'Show' }).click();
  await until('the card has the focus', () => card.evaluate((element) => document.hasFocus() && document.activeElement === element));
  await code.answer('Run this command?', /Allow once/);
  await until('the command ran', () => code.profile.read('one.txt') === '');
  await code.page.locator('.notification-list-item', { hasText: 'No edit was proposed. No edit is needed.' }).waitFor();
  assertContains(await code.log.innerText(), 'By minutes.');

  // With the view closed the notice is enough.
  await code.command('workbench.action.closeSidebar');
  await edit('two.txt');
  await code.page.locator('.notifications-toasts .notification-list-item', { hasText: 'touch two.txt' }).getByRole('button', { name: 'Allow once' }).click();
  await until('the command ran', () => code.profile.read('two.txt') === '');
  await code.chat();
  assertContains(await code.log.innerText(), 'By minutes.');
});

journey('a selection in a version that git has is sent with its text', { files }, async (code) => {
  execFileSync('git', ['add', 'fee.py'], { cwd: code.profile.workspace, env: code.profile.env });
  await until('git has the file', () =>
    code.window(async (vscode, path) => {
      const file = vscode.Uri.file(path);
      const staged = file.with({ scheme: 'git', query: JSON.stringify({ path, ref: '' }) });
      try {
        await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(staged), { selection: new vscode.Range(1, 0, 2, 0) });
        return true;
      } catch {
        return false;
      }
    }, code.profile.file('fee.py')),
  );
  await code.command('emendo.sendSelection');
  await code.chatFrame.getByRole('group', { name: 'Context of the prompt' }).getByText('fee.py:2', { exact: true }).waitFor();
  code.profile.write('fee.py', '# another text\n');
  await code.model.add(say('Whole hours.'));
  await code.prompt.fill('What was counted?');
  await code.prompt.press('Enter');
  await code.waitForText('Whole hours.');
  assertContains(await code.model.lastRequest(), '    hours = minutes // 60');
});

journey('a commit message is written, and never over one that is there', { files }, async (code) => {
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', 'commit', '-q', '--allow-empty', '-m', 'start'], { cwd: code.profile.workspace, env: code.profile.env });
  execFileSync('git', ['add', 'fee.py'], { cwd: code.profile.workspace, env: code.profile.env });
  const box = () =>
    code.window(async (vscode) => {
      const git = (await vscode.extensions.getExtension('vscode.git')!.activate()).getAPI(1);
      return git.repositories[0]?.inputBox.value as string | undefined;
    });
  await until('git has seen the file', () =>
    code.window(async (vscode) => {
      const git = (await vscode.extensions.getExtension('vscode.git')!.activate()).getAPI(1);
      await git.repositories[0]?.status();
      return git.repositories[0]?.state.indexChanges.length === 1;
    }),
  );
  await code.model.add(say('```\nfee: count hours\n```'));
  await code.palette('Emendo: Write a Commit Message');
  await until('the message is there', async () => (await box()) === 'fee: count hours');
  assertContains(await code.model.lastRequest(), '+def fee(minutes):');

  await code.model.add(say('fee: another'));
  await code.palette('Emendo: Write a Commit Message');
  await code.page.locator('.notification-toast').getByText('has a commit message already').waitFor();
  await code.screenshot('code-commit-message');
  assert.equal(await box(), 'fee: count hours');
  await code.page.locator('.notification-toast').getByRole('button', { name: 'Replace', exact: true }).click();
  await until('the message is replaced', async () => (await box()) === 'fee: another');
});

nightly('what the light bulb, the editor and the explorer offer goes to the chat', { files }, async (code) => {
  await code.openFile('park.toy');
  await until('the problem is there', async () => (await code.window((vscode) => vscode.languages.getDiagnostics().length)) > 0);
  await code.select('park.toy', 1, 5, 1, 5);
  await code.model.add(say('It is 300.'));
  await code.page.locator('[class*="gutter-lightbulb"]').first().waitFor();
  const action = code.page.locator('.action-widget').getByText('Fix with Emendo');
  await code.pressUntil('Control+.', 'the actions are shown', () => action.isVisible());
  await action.click();
  await code.waitForText('It is 300.');
  const fix = await code.model.lastRequest();
  assertContains(fix, 'The editor reports:');
  assertContains(fix, 'line 2: the rate is wrong (toy)');
  assertContains(fix, 'oops the rate is wrong');
  await code.page.keyboard.type('Q');
  await until('the focus has stayed in the editor', async () => (await code.editorText('park.toy'))?.includes('Q'));

  await code.select('fee.py', 1, 4, 2, 22);
  await code.page.keyboard.press('Control+Alt+s');
  await code.chatFrame.getByRole('button', { name: /^fee\.py:2-3\. / }).waitFor();
  await until('the focus is in the prompt', () => code.prompt.evaluate((box) => box.ownerDocument.activeElement === box));
  await code.screenshot('code-selection-sent');
  await code.model.add(say('Whole hours.'));
  await code.prompt.fill('What is counted?');
  await code.prompt.press('Enter');
  await code.waitForText('Whole hours.');
  assertContains(await code.model.lastRequest(), 'hours = minutes // 60\\n    return hours * 250');

  await code.command('workbench.view.explorer');
  await code.page.locator('.explorer-folders-view').getByText('park.toy').click({ button: 'right' });
  const item = code.page.getByRole('menuitem', { name: "Add to Emendo's Context" });
  await until('the file is added', async () => {
    if (await item.isVisible()) {
      await item.click({ timeout: 1000 }); // a menu that has just appeared takes no click
    }
    return code.chatFrame.getByRole('button', { name: /^park\.toy\. / }).isVisible();
  });
  await code.screenshot('code-file-added');
});
