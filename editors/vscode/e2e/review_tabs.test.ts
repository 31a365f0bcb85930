import assert from 'node:assert/strict';
import { nightly, waitForValue, call, journey, replace, say, until, type Code } from './harness.ts';
import { editNewText, front, waitForEditorText, waitForChanges, waitForPending } from './hunks.ts';

const files = { 'a.py': 'a = 1\n', 'b.py': 'b = 2\n' };

async function tabs(code: Code, ...want: string[]): Promise<void> {
  await until(`the tabs are ${want.join(', ')}`, async () => (await code.tabs()).map((label) => label.replace(/ \(\d+ files\)$/, '')).join('|') === want.join('|'));
}

async function multiDiff(code: Code): Promise<void> {
  await code.command('emendo.showChanges');
  await until('the multi-file diff is open', async () => (await code.page.locator('.multiDiffEditor .monaco-diff-editor').count()) >= 2);
}

/** Types a letter and waits until a file has it. */
async function typesInto(code: Code, name: string): Promise<void> {
  await code.page.keyboard.type('Q');
  await until(`the focus is in ${name}`, async () => (await code.editorText(name))?.includes('Q'));
  await code.command('undo');
  await until('the letter is gone', async () => !(await code.editorText(name))!.includes('Q'));
}

journey('diffs close with the last decision on what they show, and no others', { files }, async (code) => {
  await code.model.add(call(replace('a.py', '1', '10'), replace('b.py', '2', '20')), say('Done.'));
  await code.openFile('a.py');
  const compare = (): Promise<unknown> =>
    code.window(
      (vscode, a, b) => vscode.commands.executeCommand('vscode.diff', vscode.Uri.file(a), vscode.Uri.file(b), 'mine', { preview: false }),
      code.profile.file('a.py'), code.profile.file('b.py'),
    );
  await code.openFile('b.py');
  await compare();
  await code.openFile('a.py');
  await code.ask('Times ten');
  await waitForChanges(code, /a\.py, 1 pending/, /b\.py, 1 pending/);
  await multiDiff(code);
  await tabs(code, 'a.py', 'Proposed changes', 'b.py', 'mine');

  // One decision is left, and it is made in the file: the diff is in the background.
  await code.openFile('a.py');
  await code.command('emendo.acceptHunk');
  await waitForEditorText(code, 'a.py', 'a = 10\n');
  await waitForChanges(code, /b\.py, 1 pending/);
  await tabs(code, 'a.py', 'Proposed changes', 'b.py', 'mine');
  await code.command('emendo.nextHunk');
  await until('the other file is in front', async () => (await front(code)) === `file:${code.profile.file('b.py')}`);
  await code.command('emendo.rejectHunk');
  await code.waitForText('Done.');
  await until('the diff is closed', async () => !(await code.tabs()).some((label) => label.startsWith('Proposed changes')));
  assert.ok((await code.tabs()).includes('mine'), 'a tab of the user stays');
  await typesInto(code, 'b.py');

  // All at once, with the diff in front: the editor before it gets the focus.
  await code.command('workbench.action.files.saveAll');
  await code.command('workbench.action.closeAllEditors');
  await code.openFile('a.py');
  await code.model.add(call(replace('a.py', '10', '100'), replace('b.py', '2', '20')), say('Again.'));
  await code.ask('Once more');
  await waitForChanges(code, /a\.py, 1 pending/, /b\.py, 1 pending/);
  await multiDiff(code);
  await code.page.locator('.multiDiffEditor .modified .view-lines').first().click();
  code.command('emendo.acceptAll').catch(() => {}); // it is over when its notice is closed
  await code.waitForText('Again.');
  await until('the diff is closed', async () => !(await code.tabs()).some((label) => label.startsWith('Proposed changes')));
  await typesInto(code, 'a.py');
});

nightly('a diff that a decision in the chat closes leaves the focus there', { files }, async (code) => {
  await code.model.add(call(replace('a.py', '1', '10')), say('Done.'));
  await code.openFile('b.py');
  await code.ask('Times ten');
  const accept = code.log.getByRole('button', { name: 'Accept', exact: true });
  await accept.waitFor();
  await code.log.getByRole('button', { name: 'Show the diff', exact: true }).click();
  await until('the diff is open', async () => (await code.tabs()).some((label) => label.startsWith('a.py (')));
  await code.prompt.click();
  await accept.evaluate((button: HTMLElement) => button.click()); // as a screen reader presses it: the focus stays
  await code.waitForText('Done.');
  await until('the file takes the place of its diff', async () => (await front(code)) === `file:${code.profile.file('a.py')}`);
  await tabs(code, 'b.py', 'a.py');
  await code.page.keyboard.type('still here');
  await until('the focus is in the prompt', async () => (await code.prompt.inputValue()) === 'still here');

  // What was decided can be looked at, for as long as the user likes.
  await code.log.getByRole('button', { name: 'Show the diff', exact: true }).click();
  await until('the diff is open', async () => (await code.tabs()).some((label) => label.startsWith('a.py (')));
  await code.model.add(call(replace('a.py', '10', '100')), say('Again.'));
  await code.ask('Once more');
  await code.log.getByRole('button', { name: 'Reject', exact: true }).click();
  await code.waitForText('Again.');
  assert.ok((await code.tabs()).some((label) => label.startsWith('a.py (')));
});

nightly('a new text that is being written stays when its change is decided elsewhere', { files }, async (code) => {
  await code.model.add(call(replace('a.py', '1', '10')), say('Done.'));
  await code.openFile('a.py');
  await code.ask('Times ten');
  await waitForPending(code, 1);
  await editNewText(code, 'a = 10\n');
  await code.page.keyboard.type('# mine ');
  await until('it is changed', async () => (await code.editorText())?.startsWith('# mine'));
  await code.log.getByRole('button', { name: 'Accept', exact: true }).click();
  await code.waitForText('Done.');
  await waitForEditorText(code, 'a.py', 'a = 10\n');
  await waitForChanges(code);
  await waitForValue(() => code.tabs(), ['a.py', 'a.py (edit, save to accept)']);
});
