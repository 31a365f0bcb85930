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
import { open } from '../view/dev/harness.mjs';
import { closeBrowser, sharedBrowser } from './code.ts';
import { shots } from './places.ts';
import { form, permission, permissions } from './recorded.ts';
import { until } from './until.ts';

execFileSync(process.execPath, ['esbuild.mjs'], { cwd: resolve(fileURLToPath(import.meta.url), '../..') });
mkdirSync(shots, { recursive: true });
after(closeBrowser);

type Page_ = { sent: { type: string; question?: number; result?: unknown }[]; give: (message: object) => void };
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

async function ask(view: Page, asked: { question: number }): Promise<Locator> {
  await give(view, { type: 'asked', ...asked });
  const card = view.locator(`[data-question="${asked.question}"]`);
  await card.waitFor();
  return card;
}

/** Lets time pass, so that a card that came or moved takes answers. */
async function settle(view: Page): Promise<void> {
  await view.evaluate(() => new Promise((resolve) => resolve(document.body.getBoundingClientRect())));
  await view.clock.runFor(600);
}

/** The answers that the view has given. */
async function answers(view: Page): Promise<unknown[]> {
  const sent = await view.evaluate(() => (window as unknown as Page_).sent);
  return sent.filter(({ type }) => type === 'answer').map(({ result }) => result);
}

/** Presses a key until it answers: a card that scrolls into view takes no answer until it has been there for a while. */
async function answerBy(view: Page, key: string): Promise<void> {
  await until(`${key} answers`, async () => {
    await settle(view);
    await view.keyboard.press(key);
    return (await answers(view)).length > 0;
  });
}

test('a card that has just appeared, or moved, takes no answer', () =>
  inView('dark', async (view) => {
    const first = permission({ command: 'make one' });
    const card = await ask(view, first);
    const second = await ask(view, permission({ command: 'make two' }));
    await card.getByRole('button', { name: 'Allow once' }).click();
    await card.focus();
    await view.keyboard.press('1');
    assert.deepEqual(await answers(view), []);
    await settle(view);
    await card.focus();
    await view.keyboard.press('Enter');
    assert.deepEqual(await answers(view), [], 'Enter on the card is no answer');
    await view.keyboard.press('1');
    assert.deepEqual(await answers(view), [{ outcome: 'selected', optionId: 'allow_once' }]);

    await give(view, { type: 'withdrawn', question: first.question });
    await card.waitFor({ state: 'detached' });
    await settle(view);
    await ask(view, permission({ command: 'make three' }));
    await second.getByRole('button', { name: 'Allow once' }).click();
    assert.equal((await answers(view)).length, 1, 'the second card was moved by the third one');
    await settle(view);
    await second.getByRole('button', { name: 'Deny' }).click();
    assert.deepEqual((await answers(view))[1], { outcome: 'selected', optionId: 'reject_once' });
  }));

const echoes = Array.from({ length: 61 }, (_, i) => `echo ${i}`);
const manyParts = permission(
  {
    command: [...echoes, 'touch TAILRAN'].join('\n'),
    commands: [...echoes.map((text) => ({ text, decision: 'allow', reason: 'commands that only read' })), { text: 'touch TAILRAN', decision: 'ask', reason: 'It writes.' }],
    cwd: '/home/me/project',
    saves: ['file:///home/me/project/b.py'],
  },
  { sandbox: 'A' },
);

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
        assert.deepEqual(await answers(view), [{ outcome: 'selected', optionId: 'allow_once' }]);
      },
      { width, height },
    ));
}

test('every line of a command can be read to its underscores, and what is asked fades where there is more', () =>
  inView(
    'dark',
    async (view) => {
      const path = `${'a_folder/'.repeat(20)}a_file.py`;
      const commands = ['pytest', 'rm -rf', 'tee'].map((text) => ({ text: `${text} ${path}`, decision: 'ask' }));
      const card = await ask(view, permission({ command: commands.map(({ text }) => text).join(' && '), commands, cwd: '/home/me/project' }, { sandbox: 'C' }));
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
      const short = await ask(view, permission({ command: 'ls' }));
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
        network: [/https:\/\/example\.org\/a\?b=c/, /Host: xn--e1awd7f\.com/],
        task: [/Send this task to the remote agent\?/, /Host: agents\.example/, /Write b\.txt\s+over there/],
        asked: [/Allow a remote agent to do this\?/, /The remote agent helper at/, /Run make\?/],
        mcp: [/Use the tool query of the MCP server database\?/, /"limit": 10/],
        hook: [/has changed since/, /sh tools\/format\.sh --all/, /CI, TOKEN/],
        edit: [/Change these files\?/, /main\.go/],
      };
      for (const [kind, asked] of Object.entries(permissions)) {
        const card = await ask(view, asked);
        const text = await card.innerText();
        for (const want of shows[kind as keyof typeof permissions]) {
          assert.match(text, want);
        }
        await settle(view);
        await view.screenshot({ path: join(shots, `asked-${kind}-${theme}.png`), animations: 'disabled' });
        await give(view, { type: 'withdrawn', question: asked.question });
        await card.waitFor({ state: 'detached' });
      }
    }));
}

test('what the model writes into a question stays text', () =>
  inView('dark', async (view) => {
    const text = 'safe\u202Etxt.exe <img src=x onerror=alert(1)> [link](command:quit)';
    const card = await ask(view, permission({ command: text, commands: [{ text, decision: 'ask' }, { text, decision: 'ask', reason: text }], cwd: text }, { reason: text, rule: text }));
    assert.equal(await card.locator('img, a').count(), 0);
    assert.match(await card.innerText(), /safe\\u\{202E\}txt\.exe <img/);
    assert.ok(!(await card.innerText()).includes('\u202E'));
    const long = await ask(view, permission({ command: 'x'.repeat(300_000) }));
    await long.getByRole('button', { name: 'Deny' }).scrollIntoViewIfNeeded();
    assert.ok((await long.boundingBox())!.width <= 460);
  }));

test('a form says what is wrong, and sends what is right', () =>
  inView('light', async (view) => {
    const card = await ask(
      view,
      form(
        { header: 'Server', question: 'Port', type: 'integer', required: true, default: '80a' },
        { header: 'Server', question: 'Load', type: 'number' },
        { header: 'Server', question: 'Page', type: 'url', placeholder: 'https://…' },
        { header: 'Owner', question: 'Address', type: 'text', format: 'email', required: true },
        { header: 'Owner', question: 'Since', type: 'text', format: 'date' },
        { header: 'More', question: 'Public?', type: 'yesno', required: true },
      ),
    );
    await settle(view);
    const field = (name: string): Locator => card.getByRole('textbox', { name: new RegExp(name) });
    await field('Page').fill('example.org');
    await card.getByRole('button', { name: 'Send' }).click();
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
    assert.deepEqual(await answers(view), [], 'Enter in one of several fields sends nothing');
    await field('Address').press('Control+Enter');
    assert.deepEqual(await answers(view), [
      { answers: [{ values: ['8080'] }, { values: [] }, { values: ['https://example.org'] }, { values: ['me@example.org'] }, { values: [] }, { values: ['no'] }] },
    ]);
  }));

test('a form has bounds, options with values, and several defaults', () =>
  inView('light', async (view) => {
    const colours = [{ label: 'Red', value: '#f00' }, { label: 'Green', value: '#0f0', description: 'as grass' }, { label: 'Blue', value: '#00f' }];
    const card = await ask(
      view,
      form(
        { question: 'Port', type: 'integer', minimum: 1024, maximum: 65535, default: '80' },
        { question: 'Name', type: 'text', format: 'date', maxLength: 10 },
        { question: 'Colours', type: 'choice', options: colours, multiSelect: true, maxItems: 2, default: ['#f00', '#0f0'] },
        { question: 'Background', type: 'choice', options: colours, default: '#00f' },
      ),
    );
    await settle(view);
    assert.equal(await card.getByText('Something else').count(), 0);
    await card.getByRole('checkbox', { name: 'Blue' }).check();
    await card.getByRole('button', { name: 'Send' }).click();
    assert.deepEqual(await card.getByRole('alert').allInnerTexts(), ['From 1024 to 65535.', 'Choose at most 2.']);
    await view.screenshot({ path: join(shots, 'asked-bounds.png'), animations: 'disabled' });
    await card.getByRole('textbox', { name: /^Port/ }).fill('8080');
    await card.getByRole('checkbox', { name: 'Red' }).uncheck();
    await card.getByRole('button', { name: 'Send' }).click();
    assert.deepEqual(await answers(view), [{ answers: [{ values: ['8080'] }, { values: [] }, { values: ['#0f0', '#00f'] }, { values: ['#00f'] }] }]);
  }));

test('a form is declined or left', () =>
  inView('dark', async (view) => {
    const card = await ask(view, form({ question: 'Name?', type: 'text' }));
    await settle(view);
    await card.getByRole('button', { name: 'Decline' }).click();
    await card.getByRole('button', { name: 'Close' }).click();
    assert.deepEqual(await answers(view), [{ declined: true }, { cancelled: true }]);
  }));

/** Tells the view what has changed of the session that is shown. */
async function change(view: Page, version: number, ...changes: object[]): Promise<void> {
  await give(view, { type: 'changes', sessionId: 's', version, changes });
}

const turn = (id: string, more: object): { item: object } => ({ item: { id, kind: 'turn', title: { text: 'Working…' }, ...more } });
const item = (parent: string, kind: string, id: string, title: string, more: object): { item: object } => ({ item: { id, parent, kind, title: { text: title }, ...more } });
const prompt = (parent: string, id: string, text: string): { item: object } => item(parent, 'user', id, '', { parts: [{ kind: 'text', text }] });

const file = (state: string, path: string): object => ({
  uri: `file:///home/me/project/${path}`,
  op: 'modify',
  openInEditor: false,
  diff: '--- a\n+++ b\n@@ -1 +1 @@\n-a\n+b\n',
  hunks: [{ hunkId: 'h', state, range: { start: { line: 0, character: 0 }, end: { line: 1, character: 0 } }, oldText: 'a\n', newText: 'b\n' }],
});
const changeSet = (state: string, version: number, path = 'a.go'): object => ({ changeSetId: 'set', sessionId: 's', turnId: 't1', toolCallId: 'c1', title: 'Edit a.go', state, version, files: [file(state, path)] });

/** Shows a session that has nothing yet. */
async function showSession(view: Page): Promise<void> {
  await view.evaluate(() => {
    const page = window as unknown as Page_ & { answers: Record<string, object> };
    page.answers['view'] = { sessionId: 's', version: 0, items: [], questions: [], verbs: [] };
    page.answers['emendo/changes/list'] = { changeSets: [] };
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
        item('t1', 'call', 'c1', `Edit ${path}`, { look: 'edit', state: 'asks' }),
      );
      await give(view, { type: 'notification', method: 'emendo/changes/didChange', params: { changeSet: changeSet('pending', 1, path) } });
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
      const changeSets = (state: string, version: number): Promise<void> => give(view, { type: 'notification', method: 'emendo/changes/didChange', params: { changeSet: changeSet(state, version) } });
      const edit = (state: string): { item: object } => item('t1', 'call', 'c1', 'Edit a.go', { look: 'edit', state });
      await changeSets('pending', 1);
      await change(
        view,
        1,
        turn('t1', { state: 'done', title: { text: 'Done', code: 'turn.done' }, lines: [{ id: 'time', text: { text: '1.0 s' } }], actions: ['copy'] }),
        prompt('t1', 'p1', 'Round up.'),
        item('t1', 'call', 'c0', 'exit 3', { look: 'execute', state: 'failed', note: { text: 'exit 3' } }),
        edit('failed'),
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

      assert.deepEqual(await view.locator('.change-set-foot .small-button').allInnerTexts(), ['Review', 'Accept', 'Reject']);
      const [review, reject] = [await view.getByRole('button', { name: 'Review', exact: true }).boundingBox(), await view.getByRole('button', { name: 'Reject', exact: true }).boundingBox()];
      assert.equal(review!.y, reject!.y, 'the buttons are in one line');

      assert.equal(await view.locator('.tool', { hasText: 'exit 3' }).locator('.tool-status').first().getAttribute('title'), 'Failed');
      await changeSets('rejected', 2);
      await change(view, 2, edit('rejected'));
      await view.locator('.change-set-state', { hasText: 'Rejected' }).waitFor();
      assert.equal(await view.locator('.tool', { hasText: 'Edit a.go' }).locator('.tool-status').getAttribute('title'), 'Rejected', 'what the user decided is no failure');
      await changeSets('accepted', 3);
      await change(view, 3, edit('done'));
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
