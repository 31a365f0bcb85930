/**
 * The view without VS Code: questions that the model of the journeys cannot bring
 * about, what depends on the clock, which stands still here, and what has to have
 * its place in a narrow view.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Locator, Page } from 'playwright-core';
import type { Act, Acted, Item, Line, Question } from '../src/shared/view.ts';
import { open } from '../view/dev/harness.mjs';
import { closeBrowser, sharedBrowser } from './code.ts';
import { shots } from './places.ts';
import { command, form, kinds, permissions, recorded, yesOrNo } from './recorded.ts';
import { until } from './until.ts';

execFileSync(process.execPath, ['esbuild.mjs'], { cwd: resolve(fileURLToPath(import.meta.url), '../..') });
mkdirSync(shots, { recursive: true });
after(closeBrowser);

type Page_ = { sent: { type: string; method?: string; params?: Act }[]; give: (message: object) => void; answers: Record<string, object> };
type Theme = 'dark' | 'light' | 'contrast';

/** Opens the view on a session, with the clock in the test's hand. */
async function inView(theme: Theme, body: (view: Page) => Promise<void>, size = { width: 460, height: 1000 }): Promise<void> {
  const { view, problems, close } = await open({ browser: await sharedBrowser(), theme, ...size, state: { sessionId: 's' } });
  try {
    await view.clock.install();
    await view.clock.pauseAt(Date.now() + 1000);
    await body(view);
    assert.deepEqual(problems, []);
  } finally {
    await close();
  }
}

async function give(view: Page, message: object): Promise<void> {
  await view.evaluate((message) => (window as unknown as Page_).give(message), message);
}

/** Tells the view what has changed of the window. */
async function changeWindow(view: Page, change: object): Promise<void> {
  await view.evaluate((change) => {
    const page = window as unknown as Page_ & { version?: number };
    page.version = (page.version ?? 0) + 1;
    page.give({ type: 'changes', version: page.version, changes: [change] });
  }, change);
}

async function ask(view: Page, question: Question): Promise<Locator> {
  await changeWindow(view, { question });
  const card = view.locator(`[data-question="${question.id}"]`);
  await card.waitFor();
  return card;
}

/** Takes a question back. */
async function withdraw(view: Page, { id }: Question): Promise<void> {
  await changeWindow(view, { drop: [id] });
}

/** Lets time pass, so that a card that came or moved takes answers. */
async function settle(view: Page): Promise<void> {
  await view.evaluate(() => new Promise((resolve) => resolve(document.body.getBoundingClientRect())));
  await view.clock.runFor(600);
}

/** The answers that the view has given, without what they are given to. */
async function answers(view: Page): Promise<unknown[]> {
  const sent = await view.evaluate(() => (window as unknown as Page_).sent);
  return sent.filter(({ method }) => method === 'act').map(({ params }) => {
    const { id: _, version: __, ...given } = params!;
    return given;
  });
}

/** Lets the server answer what the user does. */
async function serve(view: Page, acted: Acted): Promise<void> {
  await view.evaluate((acted) => ((window as unknown as Page_).answers['act'] = acted), acted);
}

/** Presses a key until it answers: a card that scrolls into view takes no answer until it has been there for a while. */
async function answerBy(view: Page, key: string): Promise<void> {
  await until(`${key} answers`, async () => {
    await settle(view);
    await view.keyboard.press(key);
    return (await answers(view)).length > 0;
  });
}

/** Spells out the character that would turn text around, as the server does in what it says itself. */
function spelled(text: string): string {
  return text.replaceAll('\u202E', '\\u{202E}');
}

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

/** Reports whether all of an element can be seen. */
function isSeen(of: Locator): Promise<boolean> {
  return of.evaluate((element) => {
    const { left, top, right, bottom } = element.getBoundingClientRect();
    return [[left + 4, top + 1], [right - 4, bottom - 1]].every(([x, y]) => element.contains(document.elementFromPoint(x!, y!)));
  });
}

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

/** Tells the view what has changed of the session that is shown. */
async function change(view: Page, version: number, ...changes: object[]): Promise<void> {
  await give(view, { type: 'changes', sessionId: 's', version, changes });
}

const turn = (id: string, more: object): { item: object } => ({ item: { id, kind: 'turn', title: { text: 'Working…' }, ...more } });
const item = (parent: string, kind: string, id: string, title: string, more: object): { item: object } => ({ item: { id, parent, kind, title: { text: title }, ...more } });
const prompt = (parent: string, id: string, text: string): { item: object } => item(parent, 'user', id, '', { parts: [{ kind: 'text', text }] });

/** What a call has of the file that it changes, as long as the edit waits or after the user has decided. */
function edits(state: 'pending' | 'accepted' | 'rejected', path = 'a.go'): Pick<Item, 'parts' | 'lines' | 'actions'> {
  const place = { uri: `file:///home/me/project/${path}` };
  const label = { text: `${path} +1 −1`, code: 'fact.file', args: { path, added: 1, removed: 1 }, short: '+1 −1' };
  const name = path.split('/').at(-1)!;
  const lines: Line[] = [
    { id: 'file', look: 'modify', text: label, place, action: { id: 'diff:0', title: { text: `Show the diff of ${name}` }, look: 'diff' } },
    { id: 'edits', look: state, text: { text: { pending: '1 edit to review', accepted: 'Accepted', rejected: 'Rejected' }[state] } },
  ];
  const action = (id: string, text: string): { id: string; title: { text: string }; look: string } => ({ id, title: { text }, look: id });
  const decide = [action('review', 'Review'), action('accept', 'Accept'), action('reject', 'Reject')];
  return {
    parts: [{ kind: 'diff', label, place, rows: [['-', 'a'], ['+', 'b']] }],
    lines,
    actions: [action('diff', 'Show the diff'), ...(state === 'pending' ? decide : [])],
  };
}

/** Shows a session that has nothing yet. */
async function showSession(view: Page): Promise<void> {
  await view.evaluate(() => {
    const page = window as unknown as Page_;
    page.answers['view'] = { sessionId: 's', version: 0, items: [], questions: [], verbs: [] };
    page.give({ type: 'show', sessionId: 's' });
    page.give({ type: 'server', server: { state: 'starting' } });
    page.give({ type: 'server', server: { state: 'running' } });
  });
  await until('the session is shown', () => view.evaluate(() => document.querySelector('[role=log]')?.getAttribute('aria-busy') === 'false'));
}

test('the name of a file is seen however long its path is', () =>
  inView(
    'dark',
    async (view) => {
      const path = `${'packages/deep/'.repeat(10)}fee_of_parking.py`;
      await showSession(view);
      await change(
        view,
        1,
        turn('t1', { state: 'running' }),
        prompt('t1', 'p', 'Round up.'),
        item('t1', 'call', 'c0', `Read ${path}`, { look: 'read', state: 'done' }),
        item('t1', 'call', 'c1', `Edit ${path}`, { look: 'edit', state: 'asks', ...edits('pending', path) }),
      );
      await settle(view);
      await view.locator('.change-set').waitFor();
      await view.screenshot({ path: join(shots, 'paths-long.png'), animations: 'disabled' });
      const seen = await view.locator('.path').evaluateAll((all) =>
        all.map((element) => {
          const text = element.querySelector('bdi')!.firstChild as Text;
          const name = document.createRange();
          name.setStart(text, text.length - 'fee_of_parking.py'.length);
          name.setEnd(text, text.length);
          const [box, { left, right }] = [element.getBoundingClientRect(), name.getBoundingClientRect()];
          return box.left <= left && right <= box.right + 0.5;
        }),
      );
      assert.deepEqual(seen, [true, true, true]);
    },
    { width: 300, height: 700 },
  ));

for (const theme of ['dark', 'light', 'contrast'] as const) {
  test(`a conversation in a narrow view, ${theme}`, async () => {
    const { view, problems, close } = await open({ browser: await sharedBrowser(), theme, width: 300, height: 900, state: { sessionId: 's' } });
    try {
      await showSession(view);
      const edit = (state: string, how: 'pending' | 'accepted' | 'rejected'): { item: object } => item('t1', 'call', 'c1', 'Edit a.go', { look: 'edit', state, ...edits(how) });
      await change(
        view,
        1,
        turn('t1', { state: 'done', title: { text: 'Done', code: 'turn.done' }, lines: [{ id: 'time', text: { text: '1.0 s' } }], actions: ['copy'] }),
        prompt('t1', 'p1', 'Round up.'),
        item('t1', 'call', 'c0', 'exit 3', { look: 'execute', state: 'failed', note: { text: 'exit 3' } }),
        edit('failed', 'pending'),
        item('t1', 'answer', 'm4/1', '', { state: 'done', parts: [{ kind: 'markdown', text: '```go\nfunc fee() int { return 1 }\n```\n' }] }),
        turn('t2', { state: 'running' }),
        prompt('t2', 'p2', 'Go on with all that is left to be done.'),
        item('t2', 'plan', 't2/plan0', '0 of 2 · Look at every file that has fees in it', {
          state: 'running',
          lines: [{ text: { text: 'Look at every file that has fees in it' }, state: 'running', look: 'high' }, { text: { text: 'Test' }, state: 'waiting' }],
        }),
      );

      const apply = view.getByRole('button', { name: 'Apply as a proposed edit' });
      await apply.hover();
      assert.ok(await isSeen(apply), 'nothing lies over the actions of code');
      assert.ok(await isSeen(view.getByRole('button', { name: 'Copy this answer as Markdown' })));
      await view.screenshot({ path: join(shots, `narrow-${theme}.png`), animations: 'disabled' });

      assert.match(await view.locator('.file-change').innerText(), /^a\.go\s*\+1\s*−1\s*-\s*a/, 'the numbers of lines are said once');
      assert.deepEqual(await view.locator('.change-set-foot .small-button').allInnerTexts(), ['Review', 'Accept', 'Reject']);
      const [review, reject] = [await view.getByRole('button', { name: 'Review', exact: true }).boundingBox(), await view.getByRole('button', { name: 'Reject', exact: true }).boundingBox()];
      assert.equal(review!.y, reject!.y, 'the buttons are in one line');

      assert.equal(await view.locator('.tool', { hasText: 'exit 3' }).locator('.tool-status').first().getAttribute('title'), 'Failed');
      await change(view, 2, edit('rejected', 'rejected'));
      await view.locator('.change-set-state', { hasText: 'Rejected' }).waitFor();
      assert.equal(await view.locator('.tool', { hasText: 'Edit a.go' }).locator('.tool-status').getAttribute('title'), 'Rejected', 'what the user decided is no failure');
      await change(view, 3, edit('done', 'accepted'));
      await view.locator('.change-set-state', { hasText: 'Accepted' }).waitFor();
      assert.equal(await view.locator('.tool', { hasText: 'Edit a.go' }).locator('.tool-status').getAttribute('title'), 'Done');

      const plan = (await view.locator('.plan-bar').boundingBox())!;
      assert.ok(plan.height < 30, `the plan's line is ${plan.height} high`);

      const end = (await view.locator('[data-turn=t1] .facts').boundingBox())!;
      const next = (await view.locator('[data-turn=t2] .user-prompt').boundingBox())!;
      assert.ok(next.y - end.y - end.height < 24, `${next.y - end.y - end.height} px between the turns`);
      assert.deepEqual(problems, []);
    } finally {
      await close();
    }
  });
}
