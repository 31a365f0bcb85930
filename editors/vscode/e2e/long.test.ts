import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { assertContains, journey, say, until } from './harness.ts';
import { places } from './places.ts';

const files = { 'fee.py': 'def fee(minutes):\n    return minutes * 250\n' };
/** Of nine items, and the last one. */
const turns = 1100;
/** The calls of the last turn: more than what comes at once. */
const lastCalls = 300;

/**
 * A conversation of more items than come at once, in the form of another program. The word "needle"
 * stands in the output of a command of its first turn alone.
 */
function longSession(): unknown {
  const messages: object[] = [];
  const add = (type: string, more: object): void => {
    messages.push({ id: String(messages.length), timestamp: new Date(Date.UTC(2025, 9, 1, 8, 0, messages.length)).toISOString(), type, ...more });
  };
  const turn = (n: number, prompt: string, calls: number, answer: string): void => {
    add('user', { content: prompt });
    add('gemini', {
      content: '',
      toolCalls: Array.from({ length: calls }, (_, i) => ({
        id: `c${n}-${i}`, name: 'run_shell_command', args: { command: `make step${i}` }, status: 'success', timestamp: new Date(0).toISOString(),
        resultDisplay: n === 0 && i === 3 ? 'some words\na needle of the first turn\nmore words' : `output ${i} of ${n}`,
      })),
    });
    add('gemini', { content: answer });
  };
  for (let n = 0; n < turns; n++) {
    turn(n, `Question ${n}?`, 7, `Answer ${n} ends here.`);
  }
  turn(turns, 'The last question?', lastCalls, 'The last answer.');
  const time = new Date(Date.UTC(2025, 9, 1)).toISOString();
  return { sessionId: '6f0c2b1e-5a44-4d0e-9d53-0a3d6d1f7a11', startTime: time, lastUpdated: time, messages };
}

journey('a long conversation is copied, its prompt is sent again, and what is folded is found', { files }, async (code) => {
  const chat = join(code.profile.folder, 'long.json');
  writeFileSync(chat, JSON.stringify(longSession()));
  code.profile.emendo(places().program, 'sessions', 'import', chat);
  await code.model.add(say('Once more.'));
  await code.chat();
  await code.command('emendo.sessions');
  await code.chatFrame.getByRole('button', { name: /^Question 0/ }).click();
  await code.waitForText('The last answer.');

  await code.command('emendo.copyConversation');
  const copied = await until('it is copied', async () => {
    const text = await code.window((vscode) => vscode.env.clipboard.readText());
    return text.includes('The last answer.') ? text : undefined;
  });
  for (let n = 0; n < turns; n++) {
    assertContains(copied, `Answer ${n} ends here.`);
  }

  const last = code.chatFrame.getByRole('article').last();
  assert.ok(!(await code.log.innerText()).includes('The last question?'), 'the prompt of the last turn has not come');
  await last.hover();
  await last.getByRole('button', { name: 'Edit and send again' }).click();
  const box = last.getByRole('textbox', { name: 'Prompt' });
  await until('its text is there', async () => (await box.inputValue()) === 'The last question?');
  await box.fill('The last question, changed');
  await last.getByRole('button', { name: 'Replace this turn and what follows' }).click();
  await code.waitForText('Once more.');
  assertContains(await code.model.lastRequest(), 'The last question, changed');
  assert.ok(!(await code.log.innerText()).includes('The last answer.'), 'it took the place of the turn');

  await code.log.focus();
  await code.page.keyboard.press('Control+f');
  await code.chatFrame.getByRole('textbox', { name: 'Find in the conversation' }).fill('needle');
  await until('it is shown', async () => (await code.log.innerText()).includes('a needle of the first turn'));
  assert.equal(await code.chatFrame.locator('.find-count').innerText(), '1 of 1');
  await code.screenshot('long-find');
});
