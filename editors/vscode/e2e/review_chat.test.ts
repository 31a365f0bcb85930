/** Changes that are decided, undone and asked for again from the chat view. */
import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { type Code, call, assertContains, journey, replace, say, until, write } from './harness.ts';
import { waitForEditorText, waitForChanges } from './hunks.ts';

const files = { 'fee.py': 'fee = 250\n', 'rate.py': 'rate = 1\n' };

/** The proposed changes of a turn, as the conversation shows them. */
function card(code: Code, turn: number): Locator {
  return code.chatFrame.getByRole('article', { name: `Turn ${turn}` }).locator('.change-set');
}

/** Opens a panel of a turn by its action. */
async function act(code: Code, turn: number, action: string): Promise<Locator> {
  const article = code.chatFrame.getByRole('article', { name: `Turn ${turn}` });
  await article.hover();
  await article.getByRole('button', { name: action }).click();
  return article.locator('.turn-panel');
}

journey('the edit of a card is accepted, and that of another rejected', { files }, async (code) => {
  await code.model.add(
    call(write('fee.py', 'fee = 300\nnight = 100\n')),
    call(replace('rate.py', '1', '2')),
    say('Done.'),
    call(replace('fee.py', '300', '400')),
    say('Then not.'),
  );
  await code.openFile('fee.py');
  await code.ask('Raise both');
  const first = card(code, 1).first();
  await first.getByText('1 edit to review').waitFor();
  await first.getByRole('button', { name: 'Show the diff of fee.py' }).click();
  await until('the diff is open', async () => (await code.page.locator('.monaco-diff-editor').count()) > 0);
  await first.getByRole('button', { name: 'Accept', exact: true }).click();
  await waitForEditorText(code, 'fee.py', 'fee = 300\nnight = 100\n');
  await until('the card says so', async () => (await first.locator('.change-set-state').innerText()) === 'Accepted');

  const second = card(code, 1).nth(1);
  await second.getByRole('button', { name: 'Review', exact: true }).click();
  await until('the file is in front', async () => (await code.editorText()) === 'rate = 1\n');
  await second.getByRole('button', { name: 'Accept', exact: true }).click();
  await waitForEditorText(code, 'rate.py', 'rate = 2\n');
  await code.waitForText('Done.');

  await code.ask('And more');
  await waitForChanges(code, /fee\.py, 1 pending/);
  await card(code, 2).getByRole('button', { name: 'Reject', exact: true }).click();
  await code.waitForText('Then not.');
  await until('the card says so', async () => (await card(code, 2).locator('.change-set-state').innerText()) === 'Rejected');
  await waitForEditorText(code, 'fee.py', 'fee = 300\nnight = 100\n');
  assertContains(await code.model.lastRequest(), 'rejected');
  await code.screenshot('review-cards');
});

journey('a turn is undone with its files, after a look at what changes', { files }, async (code) => {
  await code.model.add(
    call(write('fee.py', 'fee = 300\n'), write('new.py', 'night = 100\n')),
    say('Done.'),
  );
  await code.openFile('fee.py');
  await code.ask('Raise the fee');
  await waitForChanges(code, /fee\.py, 1 pending/, /new\.py, New file, 1 pending/);
  await code.palette('Emendo: Accept All');
  await code.waitForText('Done.');
  await waitForEditorText(code, 'fee.py', 'fee = 300\n');
  await until('the file is created', () => code.profile.read('new.py') === 'night = 100\n');
  await code.command('notifications.clearAll');

  await act(code, 1, 'Go back to before this prompt');
  const question = code.chatFrame.getByRole('group', { name: 'What goes back to before this prompt?' });
  for (const [fact, file] of [['Restored', 'fee.py'], ['Deleted', 'new.py']] as const) {
    await question.locator('.question-fact', { hasText: fact }).getByText(file).waitFor();
  }
  await until('the preview shows what comes back', async () => /fee = 250/.test(await question.innerText()));
  await code.screenshot('review-rewind');
  assert.equal(await code.editorText('fee.py'), 'fee = 300\n', 'a look changes nothing');
  assert.deepEqual(await code.axe(), []);

  await code.answer('What goes back to before this prompt?', /Files alone/);
  await waitForEditorText(code, 'fee.py', 'fee = 250\n');
  await until('the new file is gone', () => code.profile.read('new.py') === undefined);
  await question.waitFor({ state: 'detached' });
  assertContains(await code.log.innerText(), 'Done.');

  await code.openFile('fee.py');
  await code.command('undo');
  await waitForEditorText(code, 'fee.py', 'fee = 300\n');
  await code.command('redo');
  await waitForEditorText(code, 'fee.py', 'fee = 250\n');
});

journey('an earlier prompt replaces its turn and those after it', { files }, async (code) => {
  for (const [prompt, answer] of [['First', 'One.'], ['Second', 'Two.'], ['Third', 'Three.']] as const) {
    await code.model.add(say(answer));
    await code.ask(prompt);
    await code.waitForText(answer);
  }
  await code.model.add(say('Another.'));
  const panel = await act(code, 2, 'Edit and send again');
  await panel.getByRole('textbox', { name: 'Prompt' }).fill('Second, changed');
  await code.screenshot('review-edit-prompt');
  await panel.getByRole('button', { name: 'Replace this turn and what follows' }).click();
  await code.waitForText('Another.');
  const shown = await code.log.innerText();
  assertContains(shown, 'One.');
  assertContains(shown, 'Second, changed');
  assert.ok(!shown.includes('Two.') && !shown.includes('Three.'), 'what followed is gone');
  const asked = await code.model.lastRequest();
  assertContains(asked, 'One.');
  assert.ok(!asked.includes('Two.') && !asked.includes('Third'), 'the model does not see it any more');
  await code.palette('Emendo: Show Sessions');
  await until('there is one session', async () => (await code.chatFrame.locator('.session').count()) === 1);
});
