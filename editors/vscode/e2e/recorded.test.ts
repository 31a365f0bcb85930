/**
 * The view without VS Code: questions that the model of the journeys cannot bring
 * about, and what depends on the clock, which stands still here.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Locator } from 'playwright-core';
import type { Question } from '../src/shared/view.ts';
import { answerBy, answers, ask, inView, isSeen, serve, settle, spelled, type Page_, withdraw } from './in_view.ts';
import { shots } from './places.ts';
import { command, form, kinds, permissions, recorded, yesOrNo } from './recorded.ts';
import { until } from './until.ts';

test('a card that has just appeared, or moved, takes no answer', () =>
  inView('dark', async (view) => {
    const first = command('make one');
    const card = await ask(view, first);
    const second = await ask(view, command('make two'));
    await card.getByRole('button', { name: 'Allow once' }).click();
    await card.focus();
    await view.keyboard.press('1');
    assert.deepEqual(await answers(view), []);
    await settle(view);
    await card.focus();
    await view.keyboard.press('Enter');
    assert.deepEqual(await answers(view), [], 'Enter on the card is no answer');
    await view.keyboard.press('1');
    assert.deepEqual(await answers(view), [{ actionId: 'allow_once' }]);
    const [given] = (await view.evaluate(() => (window as unknown as Page_).sent)).filter(({ method }) => method === 'act');
    assert.deepEqual(given!.params, { id: first.id, actionId: 'allow_once', version: 2 }, 'it is decided by what the window had');

    await withdraw(view, first);
    await card.waitFor({ state: 'detached' });
    await settle(view);
    await ask(view, command('make three'));
    await second.getByRole('button', { name: 'Allow once' }).click();
    assert.equal((await answers(view)).length, 1, 'the second card was moved by the third one');
    await settle(view);
    await second.getByRole('button', { name: 'Deny' }).click();
    assert.deepEqual((await answers(view))[1], { actionId: 'reject_once' });
  }));

const echoes = Array.from({ length: 61 }, (_, i) => `echo ${i}`);
const manyParts = command([...echoes, 'touch TAILRAN'].join('\n'), {
  parts: [...echoes.map((text) => ({ text, decision: 'allow' as const, reason: 'commands that only read' })), { text: 'touch TAILRAN', decision: 'ask' as const, reason: 'It writes.' }],
  saves: 'b.py',
  sandbox: 'A',
});

for (const [theme, width, height] of [['dark', 460, 700], ['light', 300, 500], ['contrast', 300, 320], ['dark', 170, 600]] as const) {
  test(`a long command leaves in view what is asked about and how to answer, ${width} x ${height}`, () =>
    inView(
      theme,
      async (view) => {
        const card = await ask(view, manyParts);
        await settle(view);
        await view.screenshot({ path: join(shots, `asked-long-${width}-${height}.png`), animations: 'disabled' });
        const end = card.locator('.question-command code').last();
        assert.match(await end.innerText(), /touch TAILRAN$/);
        assert.ok(await isSeen(end), 'the end of the command');
        for (const button of await card.locator('.question-answer').all()) {
          assert.ok(await isSeen(button), await button.innerText());
        }
        if (height >= 500) {
          assert.ok(await isSeen(view.getByRole('button', { name: 'Send', exact: true })), 'the prompt');
        }
        await card.focus();
        await answerBy(view, '1');
        assert.deepEqual(await answers(view), [{ actionId: 'allow_once' }]);
      },
      { width, height },
    ));
}

test('every line of a command can be read to its underscores, and what is asked fades where there is more', () =>
  inView(
    'dark',
    async (view) => {
      const path = `${'a_folder/'.repeat(20)}a_file.py`;
      const parts = ['pytest', 'rm -rf', 'tee'].map((text) => ({ text: `${text} ${path}`, decision: 'ask' as const }));
      const card = await ask(view, command(parts.map(({ text }) => text).join(' && '), { parts, sandbox: 'C' }));
      const covered = await card.locator('code').evaluateAll((all) =>
        all.flatMap((code) => {
          const lines = [...code.getClientRects()].filter(({ width }) => width > 0);
          return lines.filter(({ bottom }, index) => index + 1 < lines.length && lines[index + 1]!.top < bottom + 1);
        }),
      );
      assert.deepEqual(covered, [], 'lines whose underscores the background of the next one could cover');
      const asked = card.getByRole('region', { name: 'What is asked' });
      const fades = (): Promise<boolean> => asked.evaluate((element) => getComputedStyle(element).maskImage !== 'none');
      assert.ok(await fades(), 'more is below');
      await asked.evaluate((element) => element.scrollTo(0, element.scrollHeight));
      await until('its end is clear', async () => !(await fades()));
      const short = await ask(view, command('ls'));
      assert.equal(await short.getByRole('region', { name: 'What is asked' }).evaluate((element) => getComputedStyle(element).maskImage), 'none');
    },
    { width: 300, height: 700 },
  ));

test('a key answers only while its answer is in view, and a view that is too low scrolls', () =>
  inView(
    'light',
    async (view) => {
      const card = await ask(view, manyParts);
      await card.evaluate((element: HTMLElement) => element.focus({ preventScroll: true }));
      await view.locator('.chat').evaluate((chat) => (chat.scrollTop = 0));
      await settle(view);
      await view.screenshot({ path: join(shots, 'asked-low-hidden.png'), animations: 'disabled' });
      await view.keyboard.press('1');
      assert.deepEqual(await answers(view), []);
      await settle(view);
      await view.screenshot({ path: join(shots, 'asked-low.png'), animations: 'disabled' });
      await answerBy(view, '1');
      assert.equal((await answers(view)).length, 1);
      await view.mouse.move(200, 100);
      await view.mouse.wheel(0, 1000);
      const send = view.getByRole('button', { name: 'Send', exact: true });
      await until('the prompt can be scrolled to', async () => {
        await send.scrollIntoViewIfNeeded(); // the wheel's scrolling may still go on
        return isSeen(send);
      });
      assert.ok((await view.getByRole('log').boundingBox())!.height >= 50, 'the conversation keeps a place');
      await view.screenshot({ path: join(shots, 'asked-low-end.png'), animations: 'disabled' });
    },
    { width: 320, height: 173 },
  ));

for (const theme of ['dark', 'light', 'contrast'] as const) {
  test(`every kind of permission shows all that it would do, ${theme}`, () =>
    inView(theme, async (view) => {
      const shows: Record<keyof typeof permissions, RegExp[]> = {
        command: [/echo 'done'/, /It runs what it reads\./, /b c\.go, \/elsewhere\/d\.go/, /Saves first.*a\.go/s, /None: it can do whatever you can/],
        read: [/\.env/, /\/etc\/hosts/, /may hold secrets/],
        network: [/https:\/\/example\.org\/a\?b=c/, /host xn--e1awd7f\.com/],
        task: [/Send this task to the remote agent\?/, /host agents\.example/, /Write b\.txt\s+over there/],
        asked: [/Allow a remote agent to do this\?/, /The remote agent helper at/, /Run make\?/],
        mcp: [/Use the tool query of the MCP server database\?/, /"limit": 10/],
        hook: [/has changed since/, /sh tools\/format\.sh --all/, /CI=1, TOKEN/],
        edit: [/Change these files\?/, /main\.go/, /-\s*a\s+\+\s*b/],
      };
      for (const [kind, asked] of Object.entries(permissions)) {
        const card = await ask(view, asked);
        const text = await card.innerText();
        for (const want of shows[kind as keyof typeof permissions]) {
          assert.match(text, want);
        }
        await settle(view);
        await view.screenshot({ path: join(shots, `asked-${kind}-${theme}.png`), animations: 'disabled' });
        if (kind === 'edit') {
          await card.getByRole('button', { name: /main\.go/ }).click();
          assert.deepEqual(await answers(view), [{ actionId: 'diff:0' }], 'the name of the file compares its texts');
        }
        await withdraw(view, asked);
        await card.waitFor({ state: 'detached' });
      }
    }));
}

/** All texts of a question that its card shows; of files that can be opened their names, where they have short ones. */
function words({ code, title, parts, lines, fields = [], options }: Question): string[] {
  const [only] = fields;
  const direct = fields.length === 1 && only!.choices && !only!.many; // its choices answer
  const all = [
    title.text,
    ...parts.flatMap(({ kind, label, text = '', rows = [] }) => [...(kind === 'diff' ? [label!.text] : []), ...(kind === 'markdown' ? [] : text.split('\n')), ...rows.map(([, line]) => line)]),
    ...lines.flatMap(({ id, label, text, place }) => [...(label && id !== 'part' && id !== 'part_reason' ? [label.text] : []), (place && text.short) ?? text.text]),
    ...fields.flatMap(({ label, hint, choices = [] }) => [
      ...(label.short === undefined ? [] : [label.short]),
      ...label.text.split('\n'),
      ...(hint ? [hint.text] : []),
      ...choices.flatMap(({ title, detail }) => [title.text, ...(detail ? [detail.text] : [])]),
    ]),
    ...options.flatMap(({ id, title, detail }) =>
      (direct && id === 'answer') || (code === 'plan' && id === 'rejectWhy') ? [] : [title.text, ...(detail && fields.length === 0 ? [detail.text] : [])],
    ),
  ];
  return all.map(spelled).filter((text) => text !== '');
}

test('every question of the server is shown with all that it says', () =>
  inView('dark', async (view) => {
    assert.ok(kinds.length >= 20, `${kinds.length} kinds`);
    for (const kind of kinds) {
      const question = recorded(kind);
      const card = await ask(view, question);
      const text = (await card.innerText()).replaceAll(/\s+/g, ' ');
      for (const want of words(question)) {
        assert.ok(text.includes(want.replaceAll(/\s+/g, ' ').trim()), `${kind} says ${want} in ${text}`);
      }
      for (const { label } of question.lines.filter(({ id }) => id === 'part')) {
        assert.equal(await card.getByRole('img', { name: label!.text }).count(), 1, `${kind} says ${label!.text}`);
      }
      if (kind === 'plan') {
        assert.ok(await card.getByRole('textbox', { name: 'What to change in the plan' }).isVisible());
        assert.ok(await card.getByRole('region', { name: 'Plan' }).getByText('Do it.').isVisible());
      }
      await withdraw(view, question);
      await card.waitFor({ state: 'detached' });
    }
  }));

test('what the model writes into a question stays text', () =>
  inView('dark', async (view) => {
    const text = 'safe\u202Etxt.exe <img src=x onerror=alert(1)> [link](command:quit)';
    const said = spelled(text);
    const card = await ask(view, command(text, { parts: [{ text: said, decision: 'ask' }, { text: said, decision: 'ask', reason: said }], cwd: said, reason: said, rule: said }));
    assert.equal(await card.locator('img, a').count(), 0);
    assert.match(await card.innerText(), /safe\\u\{202E\}txt\.exe <img/);
    assert.ok(!(await card.innerText()).includes('\u202E'));
    const whole = command(`${'x'.repeat(300_000)} the end`);
    const [part] = whole.parts;
    await view.evaluate((question) => ((window as unknown as Page_).answers['emendo/view/item'] = { question }), whole);
    const long = await ask(view, { ...whole, parts: [{ ...part!, text: part!.text!.slice(0, 20_000), omitted: 280_008 }] });
    await until('the whole command is there', async () => {
      await settle(view);
      return long.getByText('the end').isVisible();
    });
    await long.getByRole('button', { name: 'Deny' }).scrollIntoViewIfNeeded();
    assert.ok((await long.boundingBox())!.width <= 460);
  }));

test('a form says what is wrong, and sends what is right', () =>
  inView('light', async (view) => {
    const card = await ask(
      view,
      form(
        { header: 'Server', question: 'Port', hint: 'A whole number; Required', type: 'number', required: true, values: ['80a'] },
        { header: 'Server', question: 'Load', hint: 'A number', type: 'number' },
        { header: 'Server', question: 'Page', hint: 'A web address; Such as https://…', type: 'url' },
        { header: 'Owner', question: 'Address', hint: 'An e-mail address, such as name@example.org; Required', type: 'line', required: true },
        { header: 'Owner', question: 'Since', hint: 'A date, such as 2026-01-31', type: 'line' },
        { header: 'More', question: 'Public?', hint: 'Required', type: 'choice', choices: yesOrNo, required: true },
      ),
    );
    await settle(view);
    const field = (name: string): Locator => card.getByRole('textbox', { name: new RegExp(name) });
    await field('Page').fill('example.org');
    await serve(view, {
      problems: [
        { field: 'q1', text: { text: 'Write a whole number, such as 12.' } },
        { field: 'q3', text: { text: 'Write a web address that begins with https:// or http://.' } },
        { field: 'q4', text: { text: 'An answer is required.' } },
        { field: 'q6', text: { text: 'An answer is required.' } },
      ],
    });
    await card.getByRole('button', { name: 'Send' }).click();
    await card.getByRole('alert').first().waitFor();
    assert.deepEqual(await answers(view), [{ actionId: 'answer', values: { q1: ['80a'], q2: [], q3: ['example.org'], q4: [], q5: [], q6: [] } }]);
    assert.deepEqual(await card.getByRole('alert').allInnerTexts(), [
      'Write a whole number, such as 12.',
      'Write a web address that begins with https:// or http://.',
      'An answer is required.',
      'An answer is required.',
    ]);
    await view.clock.runFor(100);
    assert.ok(await field('Port').evaluate((element) => element === document.activeElement));
    await view.screenshot({ path: join(shots, 'asked-form.png'), animations: 'disabled' });
    await field('Port').fill('8080');
    await field('Page').fill('https://example.org');
    await field('Address').fill('me@example.org');
    await card.getByRole('radio', { name: 'No' }).check();
    assert.equal(await card.getByRole('alert').count(), 0);
    await field('Address').press('Enter');
    assert.equal((await answers(view)).length, 1, 'Enter in one of several fields sends nothing');
    await serve(view, {});
    await field('Address').press('Control+Enter');
    assert.deepEqual((await answers(view)).slice(1), [{ actionId: 'answer', values: { q1: ['8080'], q2: [], q3: ['https://example.org'], q4: ['me@example.org'], q5: [], q6: ['no'] } }]);
  }));

test('a form has bounds, options with values, and several defaults', () =>
  inView('light', async (view) => {
    const choices = [{ title: { text: 'Red' }, value: '#f00' }, { title: { text: 'Green' }, value: '#0f0', detail: { text: 'as grass' } }, { title: { text: 'Blue' }, value: '#00f' }];
    const card = await ask(
      view,
      form(
        { question: 'Port', hint: 'A whole number; From 1024 to 65535', type: 'number', values: ['80'] },
        { question: 'Name', hint: 'A date, such as 2026-01-31; At most 10 characters', type: 'line' },
        { question: 'Colours', hint: 'At most 2 of these', type: 'choice', choices, many: true, values: ['#f00', '#0f0'] },
        { question: 'Background', type: 'choice', choices, values: ['#00f'] },
      ),
    );
    await settle(view);
    assert.equal(await card.getByText('Something else').count(), 0);
    assert.match(await card.innerText(), /From 1024 to 65535/);
    await card.getByRole('checkbox', { name: 'Blue' }).check();
    await serve(view, { problems: [{ field: 'q1', text: { text: 'Write a number of at least 1024.' } }, { field: 'q3', text: { text: 'Choose at most 2.' } }] });
    await card.getByRole('button', { name: 'Send' }).click();
    await card.getByRole('alert').first().waitFor();
    assert.deepEqual(await card.getByRole('alert').allInnerTexts(), ['Write a number of at least 1024.', 'Choose at most 2.']);
    await view.screenshot({ path: join(shots, 'asked-bounds.png'), animations: 'disabled' });
    await card.getByRole('textbox', { name: /^Port/ }).fill('8080');
    await card.getByRole('checkbox', { name: 'Red' }).uncheck();
    await card.getByRole('button', { name: 'Send' }).click();
    assert.deepEqual(await answers(view), [
      { actionId: 'answer', values: { q1: ['80'], q2: [], q3: ['#f00', '#0f0', '#00f'], q4: ['#00f'] } },
      { actionId: 'answer', values: { q1: ['8080'], q2: [], q3: ['#0f0', '#00f'], q4: ['#00f'] } },
    ]);
  }));

test('a form is declined or left', () =>
  inView('dark', async (view) => {
    const card = await ask(view, form({ question: 'Name?' }));
    await settle(view);
    await card.getByRole('button', { name: 'Decline' }).click();
    await card.getByRole('button', { name: 'Close' }).click();
    assert.deepEqual(await answers(view), [{ actionId: 'decline' }, { actionId: 'cancel' }]);
  }));
