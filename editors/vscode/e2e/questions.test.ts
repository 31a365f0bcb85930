import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import type { Locator } from 'playwright-core';
import { waitForValue, call, journey, nightly, run, say, until, write, type Code, type Reply } from './harness.ts';

const files = { 'fee.py': 'def fee(minutes):\n    return minutes * 250\n' };

/** The cards of the open questions in the chat view. */
function cards(code: Code): Locator {
  return code.chatFrame.locator('.question[data-question]');
}

async function asks(code: Code, title: string): Promise<Locator> {
  const card = code.chatFrame.getByRole('group', { name: title });
  await card.waitFor();
  return card;
}

/** Answers the oldest question, again until it counts: a card that has just appeared takes no answer. */
async function insist(code: Code, give: () => Promise<void>): Promise<void> {
  const oldest = (): Promise<string | null | undefined> => cards(code).evaluateAll(([first]) => first?.getAttribute('data-question'));
  const asked = await oldest();
  const closed = async (): Promise<boolean> => (await oldest()) !== asked;
  await until('the answer counts', async () => {
    if (!(await closed())) {
      await give();
    }
    return closed();
  });
}

function hasFocus(of: Locator): Promise<boolean> {
  return of.evaluate((element) => document.hasFocus() && document.activeElement === element);
}

async function answered(code: Code, text: string): Promise<void> {
  await until(`the model is told ${text}`, async () => (await code.model.lastRequest()).includes(text));
}

function sidebar(code: Code): Locator {
  return code.page.locator('.part.sidebar');
}

journey('a question that comes while the user types takes neither focus nor keys', { files }, async (code) => {
  await code.model.add({ gate: 'ask', ...call(run('git push origin main || touch made.txt')) }, say('It is done.'));
  await code.ask('Publish it.');
  await code.prompt.pressSequentially('And then ');
  await code.model.open('ask');
  const card = await asks(code, 'Run this command?');
  await code.page.keyboard.type('1 2');
  await waitForValue(() => code.prompt.inputValue(), 'And then 1 2');
  assert.equal(await card.count(), 1);
  assert.match(await card.innerText(), /git push origin main \|\| touch made\.txt/);
  assert.deepEqual(await code.axe(), []);
  await code.screenshot('question-command', sidebar(code));

  await code.palette('Emendo: Go to the Question');
  await until('the card has the focus', () => hasFocus(card));
  await code.page.keyboard.press('Enter');
  assert.equal(await cards(code).count(), 1, 'Enter on the card decides nothing');
  await code.page.keyboard.press('Escape');
  await until('the prompt has the focus again', () => hasFocus(code.prompt));
  await waitForValue(() => code.prompt.inputValue(), 'And then 1 2');

  await code.palette('Emendo: Go to the Question');
  await until('the card has the focus', () => hasFocus(card));
  await insist(code, () => code.page.keyboard.press('1'));
  await code.waitForText('It is done.');
  await until('the command has run', () => existsSync(code.profile.file('made.txt')));
  await until('the focus goes to the prompt', () => hasFocus(code.prompt));
});

journey('a question is refused with a reason, and the next one waits its turn', { files }, async (code) => {
  await code.model.add(call(run('git push origin one'), run('git push origin two')), say('Understood.'));
  await code.ask('Publish both.');
  const card = await asks(code, 'Run this command?');
  const why = card.getByRole('button', { name: 'No, and say why…' });
  const field = card.getByRole('textbox');
  await until('the field for the reason is there', async () => {
    if ((await field.count()) === 0) {
      await why.click();
    }
    return (await field.count()) === 1;
  });
  await until('the field has the focus', () => hasFocus(field));
  await code.page.keyboard.type('Use make release, 2 times');
  await code.reloadView();
  await until('the reason outlives a reload of the view', async () => (await (await asks(code, 'Run this command?')).getByRole('textbox').inputValue()) === 'Use make release, 2 times');
  await code.screenshot('question-reason', sidebar(code));
  await insist(code, () => field.first().press('Enter', { timeout: 1000 }));
  const next = code.chatFrame.getByRole('group', { name: 'Run this command?' }).filter({ hasText: 'git push origin two' });
  await next.waitFor();
  await until('the focus went to the prompt, and not to the card that came', () => hasFocus(code.prompt));
  await code.screenshot('question-next', sidebar(code));
  await insist(code, () => next.getByRole('button', { name: 'Deny' }).click({ timeout: 1000 }));
  await answered(code, 'Use make release, 2 times');
});

nightly('both ends of a long command are in view beside the answers, and what is dangerous in it comes first', { files }, async (code) => {
  const lines = Array.from({ length: 60 }, (_, i) => `echo "step ${i}"`);
  const command = [...lines, 'git push origin main', 'terraform destroy -auto-approve', 'crontab -r'].join('\n');
  await code.model.add(call(run(command)), say('Then not.'));
  await code.ask('Clean up.');
  const card = await asks(code, 'Run this command?');
  const shown = card.getByRole('region', { name: 'Command' });
  const inView = (of: Locator): Promise<boolean> =>
    of.evaluate((element) => {
      const { left, top, bottom } = element.getBoundingClientRect();
      return [top + 2, bottom - 2].every((y) => element.contains(document.elementFromPoint(left + 2, y)));
    });
  await until('the command has its first and its last line in view', async () => (await inView(shown.locator('code').first())) && (await inView(shown.locator('code').last())));
  assert.ok(await inView(card.getByRole('button', { name: 'Deny' })), 'and the answers too');
  assert.match(await shown.locator('code').last().innerText(), /terraform destroy -auto-approve\ncrontab -r$/);
  const dangers = card.getByRole('listitem').filter({ has: code.chatFrame.getByRole('img', { name: 'Asks' }) });
  assert.match(await dangers.nth(0).innerText(), /terraform destroy[^]*It could destroy something/);
  assert.match(await dangers.nth(1).innerText(), /crontab -r[^]*It could destroy something/);
  assert.match(await card.innerText(), /cannot be undone[^]*crontab/, 'the reason names each of them');
  assert.deepEqual(await code.axe(), []);
  await code.screenshot('question-long-command', sidebar(code));
  await card.getByRole('button', { name: /more characters/ }).click();
  await waitForValue(async () => (await shown.innerText()).trim(), command);
  await insist(code, () => card.getByRole('button', { name: 'Deny' }).click({ timeout: 1000 }));
  await code.waitForText('Then not.');
});

journey('a question is told of and answered while the view is hidden', { files }, async (code) => {
  await code.model.add({ gate: 'ask', ...call(run('touch made.txt')) }, say('It is done.'));
  await code.ask('Make the file.');
  await code.openFile('fee.py');
  await code.command('workbench.action.closeSidebar');
  await code.model.open('ask');
  const notice = code.page.locator('.notification-toast', { hasText: 'touch made.txt' });
  await notice.waitFor();
  await code.screenshot('question-notice');
  await code.page.keyboard.type('# typed');
  await until('what is typed is in the editor', async () => (await code.editorText('fee.py'))?.startsWith('# typed'));
  const badge = code.page.locator('.activitybar .action-item:has(a[aria-label^="Emendo"]) .badge-content');
  await until('the icon counts it', async () => (await badge.innerText({ timeout: 1000 })) === '1');
  await code.palette('Emendo: Answer the Question');
  const first = code.page.locator('.quick-input-list .monaco-list-row').first();
  await until('Enter in the list of answers only shows the question', async () => (await first.getAttribute('aria-label', { timeout: 1000 })) === 'Show the question');
  await code.page.keyboard.press('Escape');
  await code.command('notifications.showList'); // it does not stay in front for long
  await code.page.locator('.notifications-center .notification-list-item', { hasText: 'touch made.txt' }).getByRole('button', { name: 'Allow once' }).click();
  await until('the command has run', () => existsSync(code.profile.file('made.txt')));
  await code.page.locator('.notification-list-item', { hasText: 'Emendo has finished' }).waitFor();
  await code.command('notifications.clearAll');

  await code.model.add({ gate: 'more', ...call(run('touch more.txt\ntouch most.txt')) }, say('All of it is done.'));
  await code.ask('Make more.');
  await waitForValue(() => cards(code).count(), 0);
  await code.command('workbench.action.closeSidebar');
  await code.model.open('more');
  const long = code.page.locator('.notification-list-item', { hasText: 'touch more.txt' });
  await long.waitFor();
  assert.deepEqual(await long.locator('.monaco-button').allInnerTexts(), ['Show'], 'what a notice does not show in full is answered in the view');
  await code.command('notifications.showList');
  await long.getByRole('button', { name: 'Show' }).click();
  const card = await asks(code, 'Run this command?');
  await until('the card has the focus', () => hasFocus(card));
});

journey('the model asks, and what was typed is never lost', { files }, async (code) => {
  const questions = [
    { header: 'Rate', question: 'Which rate applies at night?', type: 'choice', options: [{ label: 'Half', description: 'As in Bern.' }, { label: 'None', description: 'As in Basel.' }] },
    { header: 'Days', question: 'On which days?', type: 'choice', multiSelect: true, options: [{ label: 'Saturday', description: '' }, { label: 'Sunday', description: '' }] },
    { header: 'Name', question: 'What is the tariff called?', type: 'text', placeholder: 'night' },
  ];
  await code.model.add(call({ name: 'ask_user', args: { questions } }), say('Half on Sundays it is.'));
  await code.model.add(call({ name: 'ask_user', args: { questions: [questions[0]] } }));
  await code.ask('Add a night rate.');
  const card = await asks(code, 'The model asks 3 questions');
  await card.getByRole('radio', { name: 'Half' }).check();
  await card.getByRole('checkbox', { name: 'Sunday' }).check();
  await card.getByRole('textbox', { name: 'What is the tariff called?' }).fill('moon\nlight');
  await code.reloadView();
  await until('the text outlives a reload', async () => (await card.getByRole('textbox', { name: 'What is the tariff called?' }).inputValue()) === 'moon\nlight');
  assert.ok(await card.getByRole('radio', { name: 'Half' }).isChecked());
  assert.deepEqual(await code.axe(), []);
  await code.screenshot('question-form', sidebar(code));
  await insist(code, () => card.getByRole('button', { name: 'Send' }).click({ timeout: 1000 }));
  await code.waitForText('Half on Sundays it is.');
  assert.match((await code.model.lastRequest()).replaceAll('\\', ''), /Half.*Sunday.*moon/);

  await code.ask('And on holidays?');
  const single = await asks(code, 'The model asks');
  await single.getByRole('textbox', { name: 'Something else' }).fill('A third');
  await code.screenshot('question-choice', sidebar(code));
  await code.palette('Emendo: Restart Server');
  const left = code.chatFrame.getByRole('group', { name: 'Text that was not sent' });
  await left.waitFor();
  assert.match(await left.innerText(), /A third/);
  await left.getByRole('button', { name: 'Copy' }).click();
  await until('the text is in the clipboard', async () => (await code.window((vscode) => vscode.env.clipboard.readText())) === 'A third');
});

journey('a plan is read, sent back and approved', { files }, async (code) => {
  await code.model.add(say('Hello.'), say('What shall I plan?'));
  await code.ask('Hello?');
  await code.waitForText('Hello.');
  await code.palette('Emendo: Choose Mode of the Session');
  await code.chatFrame.getByRole('option', { name: /Plan/ }).click();
  await code.chatFrame.getByRole('button', { name: /^Mode: Plan/ }).waitFor();
  await code.ask('Plan first.');
  await code.waitForText('What shall I plan?');
  const [, folder] = /as a `?\.md`? file in ([^,\s]+)[,.]/.exec((await code.model.lastRequest()).replaceAll('\\n', ' '))!;
  const text = '# Night rate\n\n1. Change `fee.py`.\n2. Run the **tests**.\n';
  const present = (name: string): Reply => call({ name: 'exit_plan_mode', args: { plan_filename: name } });
  await code.model.add(call(write(`${folder}/night.md`, text)), present('night.md'));
  await code.model.add(call(write(`${folder}/sunday.md`, `${text}3. Halve it.\n`)), present('sunday.md'), say('I begin.'));
  await code.ask('A night rate.');
  const card = await asks(code, 'Carry out this plan?');
  await card.getByRole('heading', { name: 'Night rate' }).waitFor();
  await code.screenshot('question-plan', sidebar(code));
  await card.getByRole('button', { name: /night\.md/ }).click();
  await until('the plan is open as text', async () => (await code.editorText())?.startsWith('# Night rate'));
  await card.getByRole('textbox').fill('Halve it on Sundays');
  await insist(code, () => card.getByRole('button', { name: 'Keep planning' }).click({ timeout: 1000 }));
  await answered(code, 'Halve it on Sundays');
  const again = await asks(code, 'Carry out this plan?');
  await waitForValue(() => again.getByRole('textbox').inputValue(), '');
  await insist(code, () => again.getByRole('button', { name: 'Approve and apply edits' }).click({ timeout: 1000 }));
  await code.waitForText('I begin.');
});
