import assert from 'node:assert/strict';
import { assertContains, journey, nightly, say, until } from './harness.ts';

const files = { 'fee.py': 'def fee(minutes):\n    return minutes * 250\n' };

journey('a conversation goes on after the server was killed and the window reloaded', { files }, async (code) => {
  await code.model.add(say('The first answer.'));
  await code.ask('The first question');
  await code.waitForText('The first answer.');

  const [killed] = code.profile.servers();
  process.kill(killed!, 'SIGKILL');
  await until('another server runs', () => code.profile.servers().some((pid) => pid !== killed));
  await code.waitForText('The first answer.');
  await code.model.add(say('The second answer.'));
  await code.ask('The second question');
  await code.waitForText('The second answer.');
  assertContains(await code.model.lastRequest(), 'The first answer.');

  await code.prompt.fill('A draft that is not sent');
  await code.reload();
  await code.chat();
  await code.waitForText('The first answer.');
  await code.waitForText('The second answer.');
  await until('the draft is back', async () => (await code.prompt.inputValue()) === 'A draft that is not sent');
  await code.model.add(say('The third answer.'));
  await code.ask('The third question');
  await code.waitForText('The third answer.');
  assertContains(await code.model.lastRequest(), 'The first answer.');
  assert.equal(code.profile.servers().length, 1, 'one server serves the window');
});

nightly('a server that dies in the middle of an answer loses nothing that was shown', { files }, async (code) => {
  await code.model.add({ events: [{ text: 'This much was said. ' }, { text: 'Never this.', gate: 'never' }] });
  await code.ask('Tell me');
  await code.waitForText('This much was said.');
  const [killed] = code.profile.servers();
  process.kill(killed!, 'SIGKILL');
  await until('another server runs', () => code.profile.servers().some((pid) => pid !== killed));
  await code.model.add(say('The rest of it.'));
  await code.ask('Go on');
  await code.waitForText('The rest of it.');
  assertContains(await code.log.innerText(), 'This much was said.');
});
