import assert from 'node:assert/strict';
import { nightly, waitForValue, assertContains, journey, say, until, type Code } from './harness.ts';

const files = { 'fee.py': 'def fee(minutes):\n    return minutes * 250\n' };
const read = { name: 'read_file', args: { file_path: 'fee.py' } };

/** Asks, and returns while the answer is being written. The gate `go` lets it end. */
async function asking(code: Code, calls: (typeof read)[] = []): Promise<void> {
  await code.model.add({ events: [{ text: 'I begin. ' }, { text: 'I end.', calls, gate: 'go' }] });
  await code.ask('Begin');
  await code.waitForText('I begin.');
}

/** The texts of the queued prompts, as they are shown. */
function queued(code: Code): Promise<string[]> {
  return code.chatFrame.getByRole('region', { name: 'Queued prompts' }).getByRole('listitem').locator('.queue-text').allInnerTexts();
}

journey('a turn is cancelled, and what was said stays', { files }, async (code) => {
  await asking(code);
  await code.chatFrame.getByRole('button', { name: 'Stop' }).click();
  await until('the turn is over', async () => (await code.chatFrame.getByRole('button', { name: 'Stop' }).count()) === 0);
  assertContains(await code.log.innerText(), 'I begin.');
  await code.model.add(say('I am here.'));
  await code.ask('Are you there?');
  await code.waitForText('I am here.');
  assert.ok(!(await code.log.innerText()).includes('I end.'));
});

nightly('a prompt steers the running turn', { files }, async (code) => {
  await asking(code, [read]);
  await code.model.add(say('In euros, then.'));
  await code.prompt.fill('Use euros.');
  await code.prompt.press('Alt+Enter');
  await until('it waits for the next step', async () => (await queued(code)).join() === 'Use euros.');
  await code.screenshot('turns-steer');
  await code.model.open('go');
  await code.waitForText('In euros, then.');
  assert.equal((await code.model.requests()).length, 2, 'it is still the same turn');
  assertContains(await code.model.lastRequest(), 'Use euros.');
  await waitForValue(() => queued(code), []);
});

nightly('prompts are queued, edited, removed, and come in their order', { files }, async (code) => {
  await asking(code);
  for (const text of ['First', 'Second', 'Third']) {
    await code.prompt.fill(text);
    await code.prompt.press('Enter');
    await until(`${text} is queued`, async () => (await queued(code)).at(-1) === text);
  }
  await waitForValue(() => code.prompt.inputValue(), '');
  await code.screenshot('turns-queue');
  await code.chatFrame.getByRole('button', { name: 'Remove: Second' }).click();
  await until('the second is gone', async () => (await queued(code)).join() === 'First,Third');
  await code.chatFrame.getByRole('button', { name: 'Edit: Third' }).click();
  await until('it is in the prompt box', async () => (await code.prompt.inputValue()) === 'Third');
  await code.prompt.fill('Third, but short');
  await code.prompt.press('Enter');
  await until('it is changed', async () => (await queued(code)).join() === 'First,Third, but short');

  await code.model.add(say('The answer to the first.'), say('The answer to the third.'));
  await code.model.open('go');
  await code.waitForText('The answer to the third.');
  const said = (await code.model.requests()).map(({ said }) => said);
  assert.equal(said.length, 3);
  assertContains(said[1]!, 'First');
  assertContains(said[2]!, 'Third, but short');
  await waitForValue(() => queued(code), []);
});

nightly('the queue is there again after the window was reloaded, and stands still', { files }, async (code) => {
  await asking(code);
  for (const text of ['First', 'Second', 'Third']) {
    await code.prompt.fill(text);
    await code.prompt.press('Enter');
    await until(`${text} is queued`, async () => (await queued(code)).at(-1) === text);
  }
  await code.reload();
  await code.chat();
  await until('the queue is back', async () => (await queued(code)).join() === 'First,Second,Third');
  await code.chatFrame.getByText('The queue is paused: 3 prompts wait until you resume it').waitFor();
  await code.screenshot('turns-queue-reloaded');
  await code.chatFrame.getByRole('button', { name: 'Remove: Second' }).click();
  await until('the second is gone', async () => (await queued(code)).join() === 'First,Third');

  await code.model.add(say('The answer to the first.'), say('The answer to the third.'));
  await code.chatFrame.getByRole('button', { name: 'Resume the queue' }).click();
  await code.waitForText('The answer to the third.');
  const said = (await code.model.requests()).map(({ said }) => said);
  assert.equal(said.length, 3);
  assertContains(said[1]!, 'First');
  assertContains(said[2]!, 'Third');
  await waitForValue(() => queued(code), []);
});

journey('a question that failed is asked again in its place', { files }, async (code) => {
  await code.model.add({ fail: { status: 400, message: 'The request is bad.' } }, say('It is 250 a minute.'));
  await code.ask('What does it cost?');
  const again = code.chatFrame.getByRole('button', { name: 'Try again' });
  await again.waitFor();
  assert.equal(await code.log.getByRole('note', { name: 'Error' }).count(), 1, 'one failure is one card');
  await code.screenshot('turns-failed');
  await again.click();
  await code.waitForText('It is 250 a minute.');
  await until('the failure is gone', async () => (await code.log.getByRole('note', { name: 'Error' }).count()) === 0);
  assert.equal((await code.log.innerText()).split('What does it cost?').length - 1, 1, 'the question is there once');
});
