/** When notices tell of sessions, as the setting emendo.notifications has it. */
import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { call, nightly, run, say, until, type Code } from './harness.ts';

const files = { 'fee.py': 'def fee(minutes):\n    return minutes * 250\n' };

function session(code: Code, title: string): Locator {
  return code.chatFrame.locator('.session', { hasText: title });
}

/** Begins a session, and waits until a prompt can be written. */
async function begin(code: Code): Promise<void> {
  await code.palette('Emendo: New Session');
  await until('the prompt has the focus', () => code.prompt.evaluate((box) => document.hasFocus() && document.activeElement === box));
}

async function state(code: Code, title: string, says: string): Promise<void> {
  await until(`${title} is listed as ${says}`, async () => (await session(code, title).innerText({ timeout: 1000 })).includes(says));
}

/** The texts of the notices that VS Code keeps. */
async function notices(code: Code): Promise<string[]> {
  await code.command('notifications.showList');
  return code.page.locator('.notifications-center .notification-list-item-message').allInnerTexts();
}

nightly('notices of sessions are switched off, and shown always', { files, settings: { 'emendo.notifications': 'off' } }, async (code) => {
  await code.chat();
  await code.model.add({ gate: 'ask', ...call(run('touch made.txt')) }, say('The file is there.'));
  await code.ask('Make the file');
  await until('the session runs', async () => (await code.model.requests()).length > 0);
  await begin(code);
  await code.model.open('ask');
  await code.chatFrame.getByText('Another session waits for your answer.').waitFor();
  const icon = code.page.locator('.activitybar .action-item', { has: code.page.locator('a[aria-label^="Emendo"]') });
  await until('the icon counts the question', async () => (await icon.locator('.badge-content').innerText()) === '1');
  assert.deepEqual(await notices(code), []);
  await code.screenshot('notices-off');

  await code.palette('Emendo: Go to the Question');
  await code.answer('Run this command?', /Allow once/);
  await begin(code);
  await code.palette('Emendo: Show Sessions');
  await state(code, 'Make the file', '1 turn');
  assert.deepEqual(await notices(code), [], 'nothing tells that it has ended');

  await code.window((vscode) => vscode.workspace.getConfiguration('emendo').update('notifications', 'always', true));
  await code.model.add(call(run('touch other.txt')), say('It is there too.'));
  await begin(code);
  await code.ask('Make another');
  await until('a notice asks, although the view does', async () => (await notices(code)).some((text) => text.includes('touch other.txt')));
  await code.answer('Run this command?', /Allow once/);
  await until('a notice tells of the end, although it is seen', async () => (await notices(code)).some((text) => text.includes('emendo has finished: Make another')));
  await code.screenshot('notices-always');
});
