import assert from 'node:assert/strict';
import { nightly, waitForValue, call, assertContains, journey, run, say, until } from './harness.ts';

const files = { 'fee.py': 'def fee(minutes):\n    return minutes * 250\n' };
const answer = 'See [the rate](fee.py:2) and `fee.py:1`.\n\n```python\nRATE = 250\n```\n\nThe needle is here.';

journey('an answer is used: links, code, copies, and found text', { files }, async (code) => {
  await code.model.add(say(answer), say('A second answer.'));
  await code.ask('What is the rate? Name the needle.');
  await code.waitForText('The needle is here.');
  const chat = code.chatFrame;

  await chat.getByRole('link', { name: 'the rate' }).click();
  await until('the file is open at the line', () =>
    code.window((vscode) => {
      const editor = vscode.window.activeTextEditor;
      return editor?.document.fileName.endsWith('fee.py') === true && editor.selection.active.line === 1;
    }),
  );
  await chat.getByRole('button', { name: 'Insert at cursor' }).click();
  await until('the code is in the editor', async () => (await code.editorText('fee.py'))?.includes('RATE = 250'));
  await chat.getByRole('button', { name: 'Copy', exact: true }).click();
  await until('the code is in the clipboard', async () => (await code.window((vscode) => vscode.env.clipboard.readText())) === 'RATE = 250\n');

  await code.ask('And now?');
  await code.waitForText('A second answer.');
  await code.log.focus();
  await code.page.keyboard.press('Alt+ArrowUp');
  await code.page.keyboard.press('Control+f');
  await chat.getByRole('textbox', { name: 'Find in the conversation' }).fill('NEEDLE');
  const count = chat.locator('.find-count');
  assert.equal(await code.page.locator('.editor-widget.find-widget.visible').count(), 0, "the editor's own find stays closed");
  await until('both are found', async () => (await count.innerText()) === '1 of 2');
  await code.screenshot('transcript-find');
  await code.page.keyboard.press('Enter');
  await until('the next is the current one', async () => (await count.innerText()) === '2 of 2');
  await code.page.keyboard.press('Escape');
  await waitForValue(() => count.count(), 0);
});

journey('an earlier prompt is sent again in a copy, and a turn is undone', { files }, async (code) => {
  await code.model.add(say('One.'), say('Two.'), say('Two again.'));
  await code.ask('First');
  await code.waitForText('One.');
  await code.ask('Second');
  await code.waitForText('Two.');
  const chat = code.chatFrame;
  const second = chat.getByRole('article', { name: 'Turn 2' });
  await second.hover();
  await second.getByRole('button', { name: 'Edit and send again' }).click();
  await second.getByRole('textbox', { name: 'Prompt' }).fill('Second, changed');
  await second.getByRole('button', { name: 'Send in a copy' }).click();
  await code.waitForText('Two again.');
  const shown = await code.log.innerText();
  assertContains(shown, 'One.');
  assertContains(shown, 'Second, changed');
  assert.ok(!shown.includes('Two.'), 'the copy ends before the turn');

  await second.hover();
  await second.getByRole('button', { name: 'Go back to before this prompt' }).click();
  await chat.getByText('No file changes.').waitFor();
  await code.screenshot('transcript-rewind');
  await code.answer('What goes back to before this prompt?', /Conversation alone/);
  await until('the turn is gone', async () => !(await code.log.innerText()).includes('Two again.'));
  await waitForValue(() => code.prompt.inputValue(), 'Second, changed');
  const redo = chat.getByRole('button', { name: 'Redo what you went back from' });
  await redo.waitFor();
  await code.screenshot('transcript-redo');
  assert.deepEqual(await code.axe(), []);
  await redo.click();
  await code.waitForText('Two again.');
  await redo.waitFor({ state: 'detached' });
  assertContains(await second.innerText(), 'Second, changed');
});

nightly('the to-do list goes back with the conversation', { files }, async (code) => {
  const todos = (...list: [string, string][]): { name: string; args: unknown } => ({ name: 'write_todos', args: { todos: list.map(([description, status]) => ({ description, status })) } });
  const chat = code.chatFrame;
  await code.model.add(call(todos(['Look at the fee', 'in_progress'])), say('One.'), call(todos(['Look at the fee', 'completed'], ['Round it up', 'in_progress'])), say('Two.'));
  await code.ask('First');
  await code.waitForText('One.');
  await code.ask('Second');
  await code.waitForText('Two.');
  assertContains(await code.log.innerText(), 'Round it up');
  const second = chat.getByRole('article', { name: 'Turn 2' });
  await second.hover();
  await second.getByRole('button', { name: 'Go back to before this prompt' }).click();
  await code.answer('What goes back to before this prompt?', /Conversation alone/);
  await until('the turn is gone', async () => !(await code.log.innerText()).includes('Two.'));
  assertContains(await code.log.innerText(), 'Look at the fee');
  assert.ok(!(await code.log.innerText()).includes('Round it up'), 'the list is the one before');

  await code.model.add({ events: [{ calls: [todos(['Look at the fee', 'in_progress'], ['Halve it', 'pending'])] }] }, { events: [{ text: 'Three.' }, { text: ' Done.', gate: 'end' }] });
  await code.prompt.fill('Third');
  await code.prompt.press('Enter');
  await code.waitForText('Three.');
  assertContains(await chat.locator('.plan-bar').innerText(), '0 of 2');
  assert.ok(!(await code.model.lastRequest()).includes('Round it up'), 'the model has not the later list');
  await code.model.open('end');
  await code.waitForText('Done.');
});

nightly('text in folded parts is found, and matches are gone through', { files }, async (code) => {
  await code.model.add(
    { events: [{ think: '**Looking**\n\nThe needle may be in the rate.' }, { calls: [{ name: 'read_file', args: { file_path: 'fee.py' } }, run('echo a needle of the output')] }] },
    say('No needle.'),
  );
  await code.ask('Look');
  await code.waitForText('No needle.');
  const chat = code.chatFrame;
  assert.ok(!(await code.log.innerText()).includes('may be in the rate'), 'the thought is folded');
  await code.palette('Emendo: Find in the Conversation');
  const field = chat.getByRole('textbox', { name: 'Find in the conversation' });
  await until('the field has the focus', () => field.evaluate((input) => document.hasFocus() && document.activeElement === input));
  await code.page.keyboard.type('needle');
  const count = chat.locator('.find-count');
  const total = Number((await until('it counts', async () => /^\d+ of (\d+)$/.exec(await count.innerText())))[1]);
  assert.ok(total >= 3, `the thought, the output and the answer: ${total}`);
  const first = Number((await count.innerText()).split(' ')[0]);
  const after = (steps: number): string => `${((first - 1 + steps + total) % total) + 1} of ${total}`;
  for (let step = 1; step <= total; step++) {
    await code.page.keyboard.press('Enter');
    await until(`match ${after(step)}`, async () => (await count.innerText()) === after(step));
  }
  const shown = await code.log.innerText();
  assertContains(shown, 'may be in the rate');
  assertContains(shown, 'a needle of the output');
  await code.screenshot('transcript-find-folded');
  await code.page.keyboard.press('Shift+Enter');
  await until('the match before', async () => (await count.innerText()) === after(-1));
  await field.fill('no such word');
  await chat.getByText('No results').waitFor();
  await code.page.keyboard.press('Escape');
  await waitForValue(() => count.count(), 0);
});
