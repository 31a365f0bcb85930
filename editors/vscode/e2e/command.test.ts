import assert from 'node:assert/strict';
import { assertContains, call, journey, nightly, question, replace, run, say, until } from './harness.ts';
import { waitForPending } from './hunks.ts';

const files = { 'fee.py': 'def fee(minutes):\n    return minutes * 250\n' };

journey('a command is approved, shows its output while it runs, and ends', { files }, async (code) => {
  // The command goes on when the test makes the file.
  const command = 'echo first line; until [ -e go ]; do read -t 0.05 < <(:) || :; done; echo last line';
  await code.model.add({ events: [{ calls: [run(command)] }] }, say('It has run.'));
  await code.ask('Run it.');
  await code.answer('Run this command?', /Allow once/);
  await code.waitForText('first line');
  assert.ok(!(await code.log.innerText()).includes('It has run.'), 'the command still runs');
  await code.screenshot('command-runs');
  code.profile.write('go', '');
  await code.waitForText('It has run.');
  assertContains(await code.model.lastRequest(), 'last line');
  await code.screenshot('command-ran');
});

nightly('the card of a command that ran shows all of it', { files }, async (code) => {
  const command = `echo begin\n${'# a long remark\n'.repeat(30)}echo end of it`;
  await code.model.add({ events: [{ calls: [run(command)] }] }, say('It has run.'));
  await code.ask('Run it.');
  await code.waitForText('It has run.');
  const shown = code.log.getByRole('region', { name: 'Command' });
  await code.log.getByRole('button', { name: /^echo begin.*Done/s }).click(); // it has closed itself
  await until('all of it is shown', async () => (await shown.innerText()).trim() === command);
  await code.screenshot('command-whole');
});

nightly('a command is refused, with a reason that the model reads', { files }, async (code) => {
  await code.model.add(call(replace('fee.py', '250', '300')), { events: [{ calls: [run('touch made.txt')] }] }, say('Then not.'));
  await code.ask('Make it.');
  await code.openFile('fee.py');
  await waitForPending(code, 1);
  await code.command('emendo.rejectAll');
  const card = code.chatFrame.getByRole('group', { name: 'Run this command?' });
  await card.getByRole('button', { name: /say why/ }).click();
  const why = card.getByRole('textbox');
  await why.fill('Use the existing one.');
  await until('the refusal counts', async () => {
    if (await why.isVisible()) {
      await why.press('Enter', { timeout: 1000 });
    }
    return !(await card.isVisible());
  });
  await code.waitForText('Then not.');
  assertContains(await code.model.lastRequest(), 'Use the existing one.');
  await waitForPending(code, 0); // although the question took the focus from the editor
  assert.equal(code.profile.read('made.txt'), undefined);
});

nightly('a question of the model is answered', { files }, async (code) => {
  await code.model.add({ events: [{ calls: [question('In what should prices be?', 'Cents', 'Euros')] }] }, say('Cents they are.'));
  await code.ask('Add prices.');
  await code.chatFrame.getByText('In what should prices be?').waitFor();
  await code.screenshot('question');
  await code.answer('The model asks', /Cents/);
  await code.waitForText('Cents they are.');
  assertContains(await code.model.lastRequest(), 'Cents');
});
