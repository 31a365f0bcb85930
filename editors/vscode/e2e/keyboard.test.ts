import assert from 'node:assert/strict';
import { waitForValue, assertContains, journey, replace, run, say, until, type Code } from './harness.ts';

const fee = 'def fee(minutes):\n    hours = minutes // 60\n    return hours * 250\n\n\ndef tax(amount):\n    return amount * 0.19\n';
const files = { 'fee.py': fee };

/** Presses keys, one after another. */
async function press(code: Code, ...keys: string[]): Promise<void> {
  for (const key of keys) {
    await code.page.keyboard.press(key);
  }
}

/** Waits until the prompt box has the focus. */
async function inPrompt(code: Code): Promise<void> {
  await until('the prompt box has the focus', () => code.prompt.evaluate((element) => document.activeElement === element && document.hasFocus()));
}

/** Waits until the editor has the focus, and what keys do there has followed. */
async function inEditor(code: Code, line: number): Promise<void> {
  await until(`the cursor is in line ${line}`, async () => {
    const at = await code.window((vscode) => vscode.window.activeTextEditor?.selection.active.line);
    const focused = await code.page.evaluate(() => document.activeElement?.closest('.monaco-editor') !== null);
    return at === line && focused;
  });
}

journey('a whole task by keyboard alone', { files }, async (code) => {
  const { page, model } = code;
  // Ctrl+P opens the file.
  await press(code, 'Control+p');
  await page.locator('.quick-input-widget input:visible').waitFor();
  await page.keyboard.type('fee.py');
  await page.locator('.quick-input-list .monaco-list-row', { hasText: 'fee.py' }).first().waitFor();
  await press(code, 'Enter');
  await until('the file is open', async () => (await code.editorText('fee.py')) === fee);

  // A prompt, whose answer edits two places.
  await model.add({ events: [{ text: 'I raise both.' }, { calls: [replace('fee.py', 'hours * 250', 'hours * 300'), replace('fee.py', 'amount * 0.19', 'amount * 0.20')] }] });
  await press(code, 'Control+Alt+m');
  await inPrompt(code);
  await page.keyboard.type('Raise the fee and the tax.');
  await press(code, 'Enter');
  await code.waitForText('I raise both.');
  await until('both edits are proposed', async () => (await page.locator('.codelens-decoration', { hasText: /Accept/ }).count()) >= 2);

  // The first is accepted, and the second rejected.
  await model.add(say('One of them, then.'));
  await press(code, 'Control+Alt+n');
  await inEditor(code, 2);
  await code.pressUntil('Control+Alt+y', 'the first is in the file', async () => (await code.editorText('fee.py'))?.includes('hours * 300'));
  await press(code, 'Control+Alt+n');
  await inEditor(code, 6);
  await code.pressUntil('Control+Alt+u', 'the turn goes on', async () => (await model.requests()).length === 2);
  await code.waitForText('One of them, then.');
  await waitForValue(() => code.editorText('fee.py'), fee.replace('250', '300'));
  assertContains(await model.lastRequest(), 'rejected');

  // A command is allowed from its card.
  await model.add({ events: [{ calls: [run('echo 300 > rate.txt')] }] }, say('Written down.'));
  await press(code, 'Control+Alt+m');
  await inPrompt(code);
  await page.keyboard.type('Write it down.');
  await press(code, 'Enter');
  const card = code.chatFrame.getByRole('group', { name: 'Run this command?' });
  await card.waitFor();
  await press(code, 'Control+Alt+q');
  await until('the card has the focus', () => card.evaluate((element) => document.activeElement === element));
  await until('1 allows it', async () => {
    if (await card.isVisible()) {
      await press(code, '1');
    }
    return !(await card.isVisible());
  });
  await code.waitForText('Written down.');
  assert.equal(code.profile.read('rate.txt'), '300\n');

  // Undo brings the accepted hunk back to be decided.
  await press(code, 'Control+1');
  await inEditor(code, 6);
  await press(code, 'Control+z');
  await until('the text is as it was', async () => (await code.editorText('fee.py')) === fee);
  await page.locator('.codelens-decoration', { hasText: /Accept/ }).first().waitFor();
});
