import assert from 'node:assert/strict';
import { waitForValue, assertContains, journey, say, until } from './harness.ts';

const fee = 'def fee(minutes):\n    hours = minutes // 60\n    return hours * 250\n';
const files = { 'fee.py': fee, 'rate.py': 'RATE = 250\n' };

journey('a question about an unsaved selection', { files }, async (code) => {
  await code.model.add({ events: [{ text: 'The first half, ' }, { text: 'the second.', gate: 'half' }] });
  await code.openFile('rate.py');
  await code.select('fee.py', 2, 22, 2, 22);
  await code.page.keyboard.type(' + 99');
  await until('the text is typed', async () => (await code.editorText('fee.py'))?.includes('250 + 99'));
  await code.select('fee.py', 2, 4, 2, 27);

  // The view takes the focus; the file that was in front stays the one that is asked about.
  await code.ask('Why 250?');
  await code.waitForText('The first half,');
  assert.ok(!(await code.log.innerText()).includes('the second.'), 'the gate holds the rest back');
  await code.model.open('half');
  await code.waitForText('the second.');

  const asked = await code.model.lastRequest();
  assertContains(asked, 'Why 250?');
  assertContains(asked, 'Active file: fee.py');
  assertContains(asked, 'Selected in fee.py, lines 3 to 3:\\nreturn hours * 250 + 99');
  assertContains(asked, '- rate.py');
  assert.equal(code.profile.read('fee.py'), fee, 'nothing was saved');

  await code.model.add(say('A rate.'));
  await code.select('rate.py', 0, 5, 0, 5);
  await code.ask('And this?');
  await code.waitForText('A rate.');
  assertContains(await code.model.lastRequest(), 'Active file: rate.py');
  assertContains(await code.model.lastRequest(), 'Cursor: line 1, column 6');

  const shown = await code.log.innerText();
  const places = ['Why 250?', 'the second.', 'And this?', 'A rate.'].map((text) => shown.indexOf(text));
  assert.deepEqual(places, places.toSorted((a, b) => a - b), `answers follow their questions: ${shown}`);
  assert.ok(places[0]! >= 0, shown);
  await waitForValue(() => code.prompt.inputValue(), '', 'the prompt box is empty again');
});
