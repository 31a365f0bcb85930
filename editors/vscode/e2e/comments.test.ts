/** Comments on lines: they wait in threads, follow their lines, and are sent as one prompt. */
import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { assertContains, call, journey, say, until, write, type Code } from './harness.ts';
import { waitForChanges, waitForEditorText } from './hunks.ts';

const files = { 'fee.py': 'def fee(minutes):\n    return minutes * 250\n\n\nRATE = 1\n' };

/** Writes a comment on the lines that are selected. */
async function comment(code: Code, text: string): Promise<void> {
  await code.palette('Emendo: Comment on Lines');
  await code.page.locator('.review-widget .comment-form .monaco-editor.focused').waitFor();
  await code.page.keyboard.insertText(text);
  await code.page.keyboard.press('ControlOrMeta+Enter');
  await thread(code, text).waitFor();
}

function threads(code: Code): Locator {
  return code.page.locator('.review-widget');
}

function thread(code: Code, text: string): Locator {
  return threads(code).filter({ has: code.page.locator('.comment-body', { hasText: text }) });
}

journey('lines are commented on in two rounds', { files }, async (code) => {
  await code.chat();
  await code.select('fee.py', 1, 0, 1, 10);
  await comment(code, 'Round this up.');
  await code.select('fee.py', 4, 0, 4, 4);
  await comment(code, 'Name the unit.');
  await code.screenshot('comments-wait');
  assert.deepEqual(await code.axe(), []);

  // What is typed above moves them, and their text can be changed until they are sent.
  await code.window(async (vscode) => {
    const editor = vscode.window.activeTextEditor!;
    await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), '# fees\n'));
  });
  const second = thread(code, 'Name the unit.');
  await second.hover();
  await second.getByRole('button', { name: 'Change' }).click();
  await second.locator('.edit-container .monaco-editor').click();
  await code.page.keyboard.press('ControlOrMeta+A');
  await code.page.keyboard.insertText('Say which unit it has.');
  await second.getByRole('button', { name: 'Save' }).click();
  await thread(code, 'Say which unit it has.').waitFor();

  await code.model.add(call(write('fee.py', '# fees\ndef fee(minutes):\n    return -(-minutes // 60) * 250\n\n\nRATE = 1\n')), say('Rounded.'));
  await code.palette('Emendo: Send Comments');
  await waitForChanges(code, /fee\.py, 1 pending/);
  const asked = await code.model.lastRequest();
  for (const part of ['return minutes * 250', 'Round this up.', 'RATE = 1', 'Say which unit it has.']) {
    assertContains(asked, part);
  }
  await code.waitForText('Round this up.');
  await code.palette('Emendo: Accept All');
  await code.waitForText('Rounded.');
  await waitForEditorText(code, 'fee.py', '# fees\ndef fee(minutes):\n    return -(-minutes // 60) * 250\n\n\nRATE = 1\n');
  await code.screenshot('comments-sent');

  await code.select('fee.py', 0, 0, 0, 6);
  await comment(code, 'In words, please.');
  await code.model.add(say('It is rounded up to whole hours.'));
  await code.palette('Emendo: Send Comments');
  await code.waitForText('It is rounded up to whole hours.');
  const last = (await code.model.requests()).at(-1)!.said;
  assertContains(last, 'In words, please.');
  assert.ok(!last.includes('Round this up.'), 'what was sent is not sent again');
});

journey('a comment that waits is there after a restart of the server, and is removed', { files }, async (code) => {
  await code.model.add(say('Hello.'));
  await code.ask('Hi');
  await code.waitForText('Hello.');
  await code.select('fee.py', 1, 0, 1, 10);
  await comment(code, 'Round this up.');
  await code.reload();
  await code.chat();
  await code.openFile('fee.py');
  await thread(code, 'Round this up.').waitFor();
  const kept = thread(code, 'Round this up.');
  await kept.hover();
  await kept.getByRole('button', { name: 'Remove' }).click();
  await until('it is gone', async () => (await thread(code, 'Round this up.').count()) === 0);
});
