import assert from 'node:assert/strict';
import { nightly, waitForValue, type Code, call, journey, replace, run, say, short, until, write } from './harness.ts';
import { editNewText, front, waitForEditorText, lens, waitForChanges, waitForPending } from './hunks.ts';

const fee = 'def fee(minutes):\n    hours = minutes // 60\n    return hours * 250\n\n\ndef name():\n    return "fee"\n';
const hours = '    hours = minutes // 60\n';
const rounded = '    # every hour that has begun\n    hours = -(-minutes // 60)\n';

journey('hunks are accepted, rejected and undone', { files: { 'fee.py': fee } }, async (code) => {
  await code.model.add(
    call(replace('fee.py', hours, rounded), replace('fee.py', '    return "fee"\n', '    return "parking fee"\n')),
    say('Done.'),
  );
  await code.openFile('fee.py');
  await code.ask('Round up');
  await waitForPending(code, 2);
  await waitForChanges(code, /fee\.py, 2 pending, \+3 −2/);
  await code.screenshot('review');
  await lens(code, 'Accept').first().click();
  const accepted = fee.replace(hours, rounded);
  await waitForEditorText(code, 'fee.py', accepted);
  await waitForPending(code, 1);
  await lens(code, 'Reject').click();
  await code.waitForText('Done.');
  await waitForPending(code, 0);
  await code.openFile('fee.py');
  await code.command('undo');
  await waitForEditorText(code, 'fee.py', fee);
  await waitForPending(code, 1);
  await code.screenshot('review-undone');
  await code.command('redo');
  await waitForEditorText(code, 'fee.py', accepted);
  await waitForPending(code, 0);
});

journey('an accepted hunk is undone by its key, and by itself', { files: { 'fee.py': fee } }, async (code) => {
  const name = ['    return "fee"\n', '    return "parking fee"\n'] as const;
  await code.model.add(call(replace('fee.py', hours, rounded), replace('fee.py', ...name)), say('Done.'));
  await code.openFile('fee.py');
  await code.ask('Round up');
  await waitForPending(code, 2);
  await code.command('emendo.acceptAll');
  await waitForEditorText(code, 'fee.py', fee.replace(hours, rounded).replace(...name));
  await code.waitForText('Done.');
  await code.select('fee.py', 0, 0, 0, 0);
  await code.page.keyboard.type('# note\n'); // it follows the text
  await code.select('fee.py', 2, 4, 2, 4);
  const undone = `# note\n${fee.replace(...name)}`;
  await code.pressUntil('Control+Alt+u', 'the hunk is undone', async () => (await code.editorText('fee.py')) === undone);
  await waitForPending(code, 1);
  await lens(code, 'Accept').click();
  await waitForEditorText(code, 'fee.py', `# note\n${fee.replace(hours, rounded).replace(...name)}`);
});

nightly('new text opens no panel, and comments of other extensions do', { files: { 'fee.py': fee } }, async (code) => {
  await code.model.add(call(replace('fee.py', hours, rounded)), say('Done.'));
  await code.openFile('fee.py');
  await code.ask('Round up');
  await waitForPending(code, 1);
  await code.page.locator('.review-widget', { hasText: 'every hour that has begun' }).waitFor();
  const panel = code.page.locator('.part.panel .comments-panel');
  assert.equal(await panel.isVisible(), false);
  await code.window((vscode, path) => {
    const controller = vscode.comments.createCommentController('other', 'Other');
    const comment = { body: 'Why?', mode: vscode.CommentMode.Preview, author: { name: 'A reader' } };
    const thread = controller.createCommentThread(vscode.Uri.file(path), new vscode.Range(0, 0, 0, 0), [comment]);
    thread.state = vscode.CommentThreadState.Unresolved;
    return true;
  }, code.profile.file('fee.py'));
  await panel.waitFor();
});

journey('a hunk is edited before it is accepted', { files: { 'fee.py': fee } }, async (code) => {
  await code.model.add(call(replace('fee.py', hours, rounded)), say('Done.'));
  await code.openFile('fee.py');
  await code.ask('Round up');
  await waitForPending(code, 1);
  await editNewText(code, rounded);
  await code.screenshot('review-edit');
  await code.page.keyboard.press('Control+Home');
  await code.page.keyboard.press('Shift+End');
  await code.page.keyboard.type('    # begun hours count');
  await code.page.keyboard.press('Control+s');
  const edited = fee.replace(hours, '    # begun hours count\n    hours = -(-minutes // 60)\n');
  await waitForEditorText(code, 'fee.py', edited);
  await until('its editor is closed', async () => (await code.tabs()).join() === 'fee.py');
  await code.waitForText('Done.');
  assert.match(await code.model.lastRequest(), /begun hours count/);
});

nightly('text for a hunk is accepted by its user alone', { files: { 'fee.py': fee }, settings: { 'files.autoSave': 'afterDelay', 'files.autoSaveDelay': 100 } }, async (code) => {
  const name = ['    return "fee"\n', '    return "parking fee"\n'] as const;
  await code.model.add(call(replace('fee.py', hours, rounded)), say('Done.'), call(replace('fee.py', ...name)), say('Well.'));
  const saved = (): Promise<unknown> => until('VS Code has saved it', () => code.window((vscode) => vscode.window.activeTextEditor?.document.isDirty === false));
  const edit = async (text: string): Promise<void> => {
    await waitForPending(code, 1);
    await editNewText(code, text);
    await code.page.keyboard.press('Control+Home');
    await code.page.keyboard.press('End');
    await code.page.keyboard.type(' # half');
    await until('a part is typed', async () => (await code.editorText()) === text.replace('\n', ' # half\n'));
    await saved();
    await code.page.keyboard.type(' typed');
    await until('the rest is typed', async () => (await code.editorText()) === text.replace('\n', ' # half typed\n'));
    await saved();
  };
  await code.openFile('fee.py');
  await code.ask('Round up');
  await edit(rounded);
  assert.equal(await code.editorText('fee.py'), fee, 'saving by itself accepts nothing');
  await code.page.keyboard.press('Control+Alt+y');
  const accepted = fee.replace(hours, rounded.replace('\n', ' # half typed\n'));
  await waitForEditorText(code, 'fee.py', accepted);
  await code.waitForText('Done.');

  await code.ask('Rename it');
  await edit(name[1]);
  await code.command('emendo.rejectAll');
  await code.waitForText('Well.');
  await waitForValue(() => code.editorText('fee.py'), accepted, 'what was rejected stays so');
});

journey('a file is created from its proposal', { files: { 'old.py': 'x = 1\n' } }, async (code) => {
  await code.model.add(call(write('sub/new.py', 'z = 3\n')), say('Done.'), call(write('other.py', 'a = 1\n')), say('Well.'));
  await code.openFile('old.py');
  await code.ask('Make a file');
  await waitForChanges(code, /new\.py, New file, 1 pending/);
  await code.command('emendo.review');
  await until('the new file is in front', async () => (await code.editorText()) === 'z = 3\n');
  assert.equal(code.profile.read('sub/new.py'), undefined, 'looking at it creates nothing');
  await waitForPending(code, 1);
  await code.screenshot('review-create');
  await lens(code, 'Accept').click();
  await until('the file is created', () => code.profile.read('sub/new.py') === 'z = 3\n');
  await code.waitForText('Done.');
  await until('the file takes the place of its proposal', async () => (await front(code)) === `file:${code.profile.file('sub/new.py')}`);
  await waitForValue(() => code.tabs(), ['old.py', 'new.py']);

  await code.ask('Make another');
  await waitForChanges(code, /other\.py, New file, 1 pending/);
  await code.command('emendo.review');
  await waitForPending(code, 1);
  await lens(code, 'Reject').click();
  await code.waitForText('Well.');
  assert.equal(code.profile.read('other.py'), undefined);
  await until('the proposal is closed', async () => !(await code.tabs()).includes('other.py'));
});

nightly('the new text of a long line is below it, in the window', { files: { 'long.py': `total = first_amount + ${'another_amount + '.repeat(4)}1\n` } }, async (code) => {
  await code.model.add(call(replace('long.py', '+ 1', '+ last_amount')), say('Done.'));
  await code.openFile('long.py');
  await code.ask('Change it');
  await waitForPending(code, 1);
  const shown = code.page.locator('.review-widget', { hasText: 'last_amount' });
  await shown.waitFor();
  await code.screenshot('review-long-line');
  await lens(code, 'Accept').click();
  await code.waitForText('Done.');
});

journey('a review by keyboard over files', { files: { 'a.py': 'a = 1\nb = 2\n', 'b.py': 'c = 3\n' } }, async (code) => {
  await code.model.add(
    call(replace('a.py', 'a = 1', 'a = 10'), replace('b.py', 'c = 3', 'c = 30')),
    say('Done.'),
  );
  await code.openFile('a.py');
  await code.ask('Times ten');
  await waitForPending(code, 1);
  const keys = code.page.keyboard;
  await code.command('workbench.action.focusActiveEditorGroup');
  await keys.press('Control+Alt+n');
  await until('the next file is in front', async () => (await front(code)) === `file:${code.profile.file('b.py')}`);
  await code.page.locator('.statusbar [role=alert]', { hasText: 'Change 2 of 2: +1 −1 in b.py' }).waitFor();
  await code.pressUntil('Control+Alt+y', 'it is changed', async () => (await code.editorText('b.py')) === 'c = 30\n');
  await keys.press('Control+Alt+p');
  await until('the first file is in front', async () => (await front(code)) === `file:${code.profile.file('a.py')}`);
  await code.pressUntil('Control+Alt+u', 'the turn goes on', async () => (await code.model.requests()).length === 2);
  await code.waitForText('Done.');
  await waitForValue(() => code.editorText('a.py'), 'a = 1\nb = 2\n');
});

const ends: { name: string; before: string; after: string; nightly?: true }[] = [
  { name: 'crlf.txt', before: 'one\r\ntwo\r\n', after: 'one\r\n2\r\ntwo and\r\n' },
  { name: 'no-end.txt', before: 'one\ntwo', after: 'one\ntwo\nthree' },
  { name: 'end-lost.txt', before: 'one\ntwo\n', after: 'one\ntwo' },
  { name: 'top.txt', before: 'one\ntwo\nthree\n', after: 'zero\none\ntwo\nthree\n', nightly: true },
  { name: 'bottom.txt', before: 'one\ntwo\nthree\n', after: 'one\n', nightly: true },
  { name: 'empty.txt', before: '', after: 'one\n' },
  { name: 'emptied.txt', before: 'one\n', after: '', nightly: true },
];

const hard = ends.filter(({ nightly }) => !nightly || !short);

journey('edits at the ends of files', { files: Object.fromEntries(hard.map(({ name, before }) => [name, before])) }, async (code) => {
  await code.openFile(hard.at(-1)!.name);
  await code.chat();
  for (const { name, before, after } of hard) {
    await code.model.add(call({ name: 'read_file', args: { file_path: name } }), call(write(name, after)), say(`Done with ${name}.`));
    await code.openFile(name);
    await code.ask(`Change ${name}`);
    await waitForPending(code, 1);
    await code.screenshot(`review-${name}`);
    await lens(code, 'Accept').click();
    await waitForEditorText(code, name, after);
    await code.waitForText(`Done with ${name}.`);
    await waitForPending(code, 0);
    await code.openFile(name);
    await code.command('undo');
    await waitForEditorText(code, name, before);
    await waitForPending(code, 1);
    await lens(code, 'Reject').click();
    await waitForPending(code, 0);
    assert.equal(await code.editorText(name), before);
  }
});

journey('typing moves hunks, and a hunk that is typed into is in conflict', { files: { 'fee.py': fee } }, async (code) => {
  await code.model.add(call(replace('fee.py', hours, rounded), replace('fee.py', '    return "fee"\n', '    return "parking fee"\n')), say('Done.'));
  await code.openFile('fee.py');
  await code.command('workbench.action.splitEditorRight');
  await code.ask('Round up');
  await waitForPending(code, 4); // two in each editor
  await code.openFile('fee.py');
  await code.page.keyboard.type('# a comment');
  await code.page.keyboard.press('Enter');
  await waitForEditorText(code, 'fee.py', `# a comment\n${fee}`); // the extension has heard of it
  await waitForChanges(code, /fee\.py, 2 pending/);
  await code.command('emendo.nextHunk');
  await waitForValue(() => cursorLine(code), 2, 'the hunk is a line further down');
  await code.page.keyboard.type('x');
  await waitForChanges(code, /fee\.py, 1 pending.*1 in conflict/);
  await code.screenshot('review-conflict');
  await code.page.keyboard.press('Backspace');
  await waitForChanges(code, /fee\.py, 2 pending/);
  await code.command('emendo.acceptHunk');
  await waitForEditorText(code, 'fee.py', `# a comment\n${fee.replace(hours, rounded)}`);
  await until('the actions of the accepted hunk are gone', async () => (await code.page.locator('.codelens-decoration:visible', { hasText: '+2' }).count()) === 0);
  await waitForPending(code, 2);
  await lens(code, 'Reject').first().click();
  await code.waitForText('Done.');
});

journey('everything is accepted at once, and that is undone', { files: { 'a.py': 'a = 1\n', 'b.py': 'b = 2\n', 'c.py': 'c = 3\n' } }, async (code) => {
  await code.model.add(call(replace('a.py', '1', '10'), replace('b.py', '2', '20'), write('new.py', 'd = 4\n')), say('Done.'));
  await code.openFile('a.py');
  await code.ask('Change all');
  await waitForChanges(code, /a\.py, 1 pending/, /b\.py, 1 pending/, /new\.py, New file, 1 pending/);
  await code.command('emendo.showChanges');
  await until('the multi-file diff is open', async () => (await code.page.locator('.multiDiffEditor .monaco-diff-editor').count()) >= 2);
  await code.screenshot('review-all');
  code.command('emendo.acceptAll').catch(() => {}); // it is over when its notice is closed
  await waitForEditorText(code, 'a.py', 'a = 10\n');
  await waitForEditorText(code, 'b.py', 'b = 20\n');
  await until('the file is created', () => code.profile.read('new.py') === 'd = 4\n');
  await code.waitForText('Done.');
  await code.page.locator('.notifications-toasts').getByRole('button', { name: 'Undo' }).click();
  await waitForChanges(code, /a\.py, 1 pending/, /b\.py, 1 pending/, /new\.py, New file, 1 pending/);
  await waitForEditorText(code, 'b.py', 'b = 2\n');
  assert.equal(code.profile.read('new.py'), undefined);
});

journey('a file in the diff editor', { files: { 'fee.py': fee } }, async (code) => {
  await code.model.add(call(replace('fee.py', hours, rounded), replace('fee.py', '    return "fee"\n', '    return "parking fee"\n')), say('Done.'));
  await code.openFile('fee.py');
  await code.ask('Round up');
  await waitForPending(code, 2);
  await lens(code, 'Show the difference').first().click();
  await until('the diff editor is in front', async () => (await front(code))?.startsWith('emendo-proposal:'));
  await waitForValue(() => code.editorText(), fee.replace(hours, rounded).replace('"fee"', '"parking fee"'));
  await code.page.locator('.monaco-diff-editor .line-insert').first().waitFor();
  await until('the sides of a diff are enough', async () => (await code.page.locator('.monaco-diff-editor .review-widget').count()) === 0);
  await code.screenshot('review-diff');
  await code.command('emendo.acceptHunk');
  await waitForEditorText(code, 'fee.py', fee.replace(hours, rounded));
  await code.command('cursorBottom');
  await code.command('cursorUp');
  await code.command('emendo.rejectHunk');
  await code.waitForText('Done.');
  await until('the file takes its place', async () => (await front(code)) === `file:${code.profile.file('fee.py')}`);
  await until('its diff is closed', async () => (await code.tabs()).join() === 'fee.py');
});

journey('changes are rejected with a reason', { files: { 'a.py': 'a = 1\nb = 2\n', 'b.py': 'c = 3\n' } }, async (code) => {
  await code.model.add(call(replace('a.py', 'a = 1', 'a = 10'), replace('b.py', 'c = 3', 'c = 30')), say('Done.'));
  await code.openFile('a.py');
  await code.ask('Times ten');
  await waitForChanges(code, /a\.py, 1 pending/, /b\.py, 1 pending/);
  await code.palette('Emendo: Reject All Changes with a Reason');
  const input = code.page.locator('.quick-input-widget input:visible');
  await input.fill('twice is enough');
  await code.prompt.click();
  await until('what is written stays', async () => (await input.inputValue()) === 'twice is enough');
  await code.screenshot('review-reason');
  await input.press('Escape');
  await waitForChanges(code, /a\.py, 1 pending/, /b\.py, 1 pending/);
  await code.palette('Emendo: Reject All Changes with a Reason');
  await input.fill('twice is enough');
  await input.press('Enter');
  await code.waitForText('Done.');
  assert.match(await code.model.lastRequest(), /twice is enough/);
  await waitForValue(() => code.editorText('a.py'), 'a = 1\nb = 2\n');
  await waitForChanges(code);
});

journey('what was applied without a question is kept and undone after the server was killed', { files: { 'fee.py': fee, 'rates.txt': 'day 250\n' } }, async (code) => {
  const name = (text: string) => text.replace('"fee"', '"parking fee"');
  await code.model.add(
    call(replace('fee.py', hours, rounded), replace('fee.py', '    return "fee"\n', name('    return "fee"\n'))),
    { events: [{ calls: [run('echo night 100 >> rates.txt')] }] },
    say('Done.'),
  );
  await code.openFile('fee.py');
  const chat = await code.chat();
  await chat.getByRole('button', { name: /^Mode:/ }).click();
  await chat.getByRole('option', { name: /Edit freely/ }).click();
  await code.ask('Round up');
  await code.answer('Run this command?', /Allow once/);
  await code.waitForText('Done.');
  await waitForEditorText(code, 'fee.py', name(fee.replace(hours, rounded)));
  await waitForChanges(code, /fee\.py, 2 to review/, /rates\.txt, 1 to review/);
  await code.screenshot('review-applied');

  const [server] = code.profile.servers();
  process.kill(server!, 'SIGKILL');
  await until('another server runs', () => code.profile.servers().some((pid) => pid !== server));
  await waitForChanges(code, /fee\.py, 2 to review/, /rates\.txt, 1 to review/);
  await until('the first one is undone, once the server has its session', async () => {
    if ((await lens(code, 'Undo').count()) === 2) {
      await lens(code, 'Undo').first().click();
    }
    return (await code.editorText('fee.py')) === name(fee);
  });
  await until('the other one is left', async () => (await lens(code, 'Keep').count()) === 1);
  await lens(code, 'Keep').click();
  await until('nothing is shown any more', async () => (await lens(code, 'Undo').count()) === 0);
  await waitForChanges(code, /rates\.txt, 1 to review/);
  assert.equal(await code.editorText('fee.py'), name(fee));

  await code.openFile('rates.txt');
  await lens(code, 'Undo').click();
  await waitForEditorText(code, 'rates.txt', 'day 250\n');
  await waitForChanges(code);
});

/** The row of the cursor, from zero. */
function cursorLine(code: Code): Promise<number | undefined> {
  return code.window((vscode) => vscode.window.activeTextEditor?.selection.active.line);
}

journey('pending hunks outlive the server', { files: { 'fee.py': fee } }, async (code) => {
  await code.model.add(call(replace('fee.py', hours, rounded)), { ...say('Rounded.'), gate: 'the turn runs until the server ends' });
  await code.openFile('fee.py');
  await code.ask('Round up');
  await waitForPending(code, 1);
  const [server] = code.profile.servers();
  process.kill(server!, 'SIGKILL');
  await until('another server runs', () => code.profile.servers().some((pid) => pid !== server));
  await waitForChanges(code, /fee\.py, 1 pending/);
  await waitForPending(code, 1);
  await lens(code, 'Accept').click();
  await waitForEditorText(code, 'fee.py', fee.replace(hours, rounded));
});

nightly('three thousand hunks in a file', { files: { 'many.txt': many((i) => `line ${i}`) } }, async (code) => {
  const after = many((i) => (i % 5 === 2 ? `changed ${i}` : `line ${i}`));
  await code.model.add(call({ name: 'read_file', args: { file_path: 'many.txt' } }), call(write('many.txt', after)), say('Done.'));
  await code.openFile('many.txt');
  const slow = await longTasks(code);
  await code.ask('Change many');
  await waitForChanges(code, /many\.txt, 3000 pending/);
  await until('lenses can be seen', async () => (await lens(code, 'Accept').count()) > 3);
  await code.screenshot('review-many');
  await slow('shown');
  await code.command('emendo.nextHunk');
  await code.page.keyboard.type('x');
  await until('the letter is there', async () => (await code.editorText('many.txt'))?.includes('xline 2'));
  await code.command('undo');
  await slow('typed');
  code.command('emendo.acceptFile').catch(() => {}); // it is over when its notice is closed
  await waitForEditorText(code, 'many.txt', after);
  await waitForPending(code, 0);
  await code.waitForText('Done.');
  await slow('accepted');
});

/** Reports, each time it is called, how long the window was busy since. */
async function longTasks(code: Code): Promise<(what: string) => Promise<void>> {
  await code.page.evaluate(() => {
    const tasks: number[] = [];
    Object.assign(window, { tasks });
    new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({ entryTypes: ['longtask'] });
  });
  let began = Date.now();
  return async (what) => {
    const tasks = await code.page.evaluate(() => (window as unknown as { tasks: number[] }).tasks.splice(0));
    const longest = Math.max(0, ...tasks);
    console.log(`${what}: ${Date.now() - began} ms, long tasks ${tasks.length}, the longest ${Math.round(longest)} ms`);
    began = Date.now();
  };
}

/** Fifteen thousand lines. */
function many(line: (i: number) => string): string {
  return Array.from({ length: 15_000 }, (_, i) => `${line(i)}\n`).join('');
}
