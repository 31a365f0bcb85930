import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { waitForValue, call, journey, run, say, until, type Code } from './harness.ts';

const files = { 'fee.py': 'def fee(minutes):\n    return minutes * 250\n' };

/** The sessions in the list, by their titles. */
function titles(code: Code): Promise<string[]> {
  return code.chatFrame.locator('.session-title').allInnerTexts();
}

async function waitForChanges(code: Code, ...want: string[]): Promise<void> {
  await until(`the list shows ${want.join(', ')}`, async () => (await titles(code)).join('|') === want.join('|'));
}

function session(code: Code, title: string): Locator {
  return code.chatFrame.locator('.session', { hasText: title });
}

async function showSessions(code: Code): Promise<void> {
  await code.palette('Emendo: Show Sessions');
  await code.chatFrame.getByRole('region', { name: 'Sessions' }).waitFor();
}

/** Asks in a new session, and waits for the answer. */
async function talk(code: Code, prompt: string, answer: string): Promise<void> {
  await showSessions(code);
  await code.chatFrame.getByRole('button', { name: 'New session' }).first().click();
  await code.model.add(say(answer));
  await code.ask(prompt);
  await code.waitForText(answer);
}

journey('sessions are found, renamed, copied and deleted by keys', { files }, async (code) => {
  await code.chat();
  await talk(code, 'Explain the fee', 'It is by minutes.');
  await talk(code, 'Rename the function', 'To what?');
  await showSessions(code);
  await waitForChanges(code, 'Rename the function', 'Explain the fee');
  await until('the search has the focus', () => code.chatFrame.getByRole('searchbox').evaluate((element) => document.activeElement === element));
  assert.deepEqual(await code.axe(), []);
  await code.screenshot('sessions', code.page.locator('.part.sidebar'));

  await code.page.keyboard.type('explain');
  await waitForChanges(code, 'Explain the fee');
  await code.page.keyboard.press('Escape');
  await waitForChanges(code, 'Rename the function', 'Explain the fee');

  await code.page.keyboard.press('ArrowDown');
  await code.page.keyboard.press('ArrowDown');
  await code.page.keyboard.press('F2');
  await code.chatFrame.getByRole('textbox', { name: 'Title', exact: true }).waitFor();
  await code.page.keyboard.type('Fees by minutes');
  await code.page.keyboard.press('Enter');
  await until('the session has its new title', async () => (await titles(code)).includes('Fees by minutes'));

  await session(code, 'Fees by minutes').getByRole('button', { name: 'Continue in a copy' }).click({ force: true });
  await code.waitForText('It is by minutes.');
  await showSessions(code);
  await until('the copy is listed', async () => (await titles(code)).length === 3);

  await code.page.keyboard.press('ArrowDown');
  await code.page.keyboard.press('Delete');
  const sure = code.chatFrame.getByRole('group', { name: /^Delete .*\?$/ });
  await until('nothing is deleted by Enter', () => sure.getByRole('button', { name: 'Keep' }).evaluate((element) => document.activeElement === element));
  await code.screenshot('sessions-delete', code.page.locator('.part.sidebar'));
  await code.page.keyboard.press('Enter');
  await until('it is kept', async () => (await titles(code)).length === 3);
  await until('the focus is in the list', () => code.chatFrame.locator('body').evaluate((body) => body.ownerDocument.activeElement?.className === 'session-open'));
  await code.page.keyboard.press('Delete');
  await until('the session is deleted', async () => {
    if ((await sure.count()) > 0) {
      await sure.getByRole('button', { name: 'Delete' }).click({ timeout: 1000 });
    }
    return (await sure.count()) === 0 && (await titles(code)).length === 2;
  });
  await until('the focus stays in the list', () => code.chatFrame.locator('.session-open').first().evaluate((element) => document.activeElement === element));
});

journey('two sessions work at once, and the hidden one says that it asks and has ended', { files }, async (code) => {
  await code.model.add({ gate: 'ask', ...call(run('touch made.txt')) }, say('The file is there.'));
  await code.ask('Make the file');
  await until('the first session runs', async () => (await code.model.requests()).length > 0);
  await showSessions(code);
  await until('it is listed as working', async () => (await session(code, 'Make the file').innerText()).includes('Working'));
  await code.chatFrame.getByRole('button', { name: 'New session' }).first().click();
  await code.prompt.fill('half a thought');
  await code.model.open('ask');
  const notice = code.page.locator('.notification-toast', { hasText: 'touch made.txt' });
  await notice.waitFor();
  await code.chatFrame.getByText('Another session waits for your answer.').waitFor();
  await code.screenshot('sessions-elsewhere');

  await showSessions(code);
  await until('it is listed as asking', async () => (await session(code, 'Make the file').innerText()).includes('Needs your answer'));
  await code.screenshot('sessions-asks', code.page.locator('.part.sidebar'));
  await code.page.keyboard.press('Escape');
  await waitForValue(() => code.prompt.inputValue(), 'half a thought');

  await code.command('notifications.showList'); // a notice does not stay in front for long
  await code.page.locator('.notifications-center .notification-list-item', { hasText: 'touch made.txt' }).getByRole('button', { name: 'Allow once' }).click();
  const ended = code.page.locator('.notification-list-item', { hasText: 'Emendo has finished' });
  await ended.waitFor();
  await showSessions(code);
  await until('it is listed as new', async () => (await session(code, 'Make the file').innerText()).includes('New'));
  await code.reload();
  await code.chat();
  await showSessions(code);
  await until('it is new after a reload of the window', async () => (await session(code, 'Make the file').innerText()).includes('New'));
  await session(code, 'Make the file').locator('.session-open').click();
  await code.waitForText('The file is there.');
  await showSessions(code);
  await until('it is read', async () => !(await session(code, 'Make the file').innerText()).includes('New'));
});

journey('a session in an editor tab has its own questions', { files }, async (code) => {
  await talk(code, 'Explain the fee', 'It is by minutes.');
  await showSessions(code);
  await waitForChanges(code, 'Explain the fee');
  await code.page.keyboard.press('ArrowDown');
  await code.page.keyboard.press('Control+Enter');
  await until('the tab is named after the session', async () => (await code.tabs()).includes('Explain the fee'));
  const tab = code.page.locator('iframe.webview.ready:not([src*="purpose=webviewView"])').contentFrame().frameLocator('iframe#active-frame');
  await until('the tab shows the conversation', async () => (await tab.getByRole('log').innerText()).includes('It is by minutes.'));
  await code.chatFrame.getByRole('button', { name: 'New session' }).first().click();
  await code.model.add(call(run('touch made.txt')), say('The file is there.'));
  await tab.getByRole('textbox', { name: 'Prompt' }).fill('Make a file');
  await tab.getByRole('textbox', { name: 'Prompt' }).press('Enter');
  const card = tab.getByRole('group', { name: 'Run this command?' });
  await card.waitFor();
  await waitForValue(() => code.chatFrame.locator('.question[data-question]').count(), 0);
  assert.equal(await code.page.locator('.notification-toast').count(), 0, 'a question that is seen needs no notice');
  await code.palette('Emendo: Go to the Question');
  await until('the card has the focus', () => card.evaluate((element) => document.hasFocus() && document.activeElement === element));
  await code.screenshot('sessions-tab');
  await until('the command is allowed', async () => {
    if ((await card.count()) > 0) {
      await code.page.keyboard.press('1');
    }
    return (await card.count()) === 0;
  });
  await until('the answer comes', async () => (await tab.getByRole('log').innerText()).includes('The file is there.'));
  assert.equal((await code.tabs()).filter((label) => label === 'Explain the fee').length, 1);
});
