/** The view without VS Code, with the clock in the test's hand. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Locator, Page } from 'playwright-core';
import type { Act, Acted, Question } from '../src/shared/view.ts';
import { open } from '../view/dev/harness.mjs';
import { closeBrowser, sharedBrowser } from './code.ts';
import { shots } from './places.ts';
import { until } from './until.ts';

execFileSync(process.execPath, ['esbuild.mjs'], { cwd: resolve(fileURLToPath(import.meta.url), '../..') });
mkdirSync(shots, { recursive: true });
after(closeBrowser);

export type Page_ = { sent: { type: string; method?: string; params?: Act }[]; give: (message: object) => void; answers: Record<string, object> };
export type Theme = 'dark' | 'light' | 'contrast';

/** Opens the view on a session, with the clock in the test's hand. */
export async function inView(theme: Theme, body: (view: Page) => Promise<void>, size = { width: 460, height: 1000 }): Promise<void> {
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

export async function give(view: Page, message: object): Promise<void> {
  await view.evaluate((message) => (window as unknown as Page_).give(message), message);
}

/** Shows a session that has nothing yet. */
export async function showSession(view: Page): Promise<void> {
  await view.evaluate(() => {
    const page = window as unknown as Page_;
    page.answers['view'] = { sessionId: 's', version: 0, items: [], questions: [], verbs: [] };
    page.give({ type: 'show', sessionId: 's' });
    page.give({ type: 'server', server: { state: 'starting' } });
    page.give({ type: 'server', server: { state: 'running' } });
  });
  await until('the session is shown', () => view.evaluate(() => document.querySelector('[role=log]')?.getAttribute('aria-busy') === 'false'));
}

/** Tells the view what has changed of the session that showSession shows. */
export async function change(view: Page, version: number, ...changes: object[]): Promise<void> {
  await give(view, { type: 'changes', sessionId: 's', version, changes });
}

/** Tells the view what has changed of the window. */
export async function changeWindow(view: Page, change: object): Promise<void> {
  await view.evaluate((change) => {
    const page = window as unknown as Page_ & { version?: number };
    page.version = (page.version ?? 0) + 1;
    page.give({ type: 'changes', version: page.version, changes: [change] });
  }, change);
}

export async function ask(view: Page, question: Question): Promise<Locator> {
  await changeWindow(view, { question });
  const card = view.locator(`[data-question="${question.id}"]`);
  await card.waitFor();
  return card;
}

/** Takes a question back. */
export async function withdraw(view: Page, { id }: Question): Promise<void> {
  await changeWindow(view, { drop: [id] });
}

/** Lets time pass, so that a card that came or moved takes answers. */
export async function settle(view: Page): Promise<void> {
  await view.evaluate(() => new Promise((resolve) => resolve(document.body.getBoundingClientRect())));
  await view.clock.runFor(600);
}

/** The answers that the view has given, without what they are given to. */
export async function answers(view: Page): Promise<unknown[]> {
  const sent = await view.evaluate(() => (window as unknown as Page_).sent);
  return sent.filter(({ method }) => method === 'act').map(({ params }) => {
    const { id: _, version: __, ...given } = params!;
    return given;
  });
}

/** Lets the server answer what the user does. */
export async function serve(view: Page, acted: Acted): Promise<void> {
  await view.evaluate((acted) => ((window as unknown as Page_).answers['act'] = acted), acted);
}

/** Presses a key until it answers: a card that scrolls into view takes no answer until it has been there for a while. */
export async function answerBy(view: Page, key: string): Promise<void> {
  await until(`${key} answers`, async () => {
    await settle(view);
    await view.keyboard.press(key);
    return (await answers(view)).length > 0;
  });
}

/** Spells out the character that would turn text around, as the server does in what it says itself. */
export function spelled(text: string): string {
  return text.replaceAll('\u202E', '\\u{202E}');
}

/** Reports whether all of an element can be seen. */
export function isSeen(of: Locator): Promise<boolean> {
  return of.evaluate((element) => {
    const { left, top, right, bottom } = element.getBoundingClientRect();
    return [[left + 4, top + 1], [right - 4, bottom - 1]].every(([x, y]) => element.contains(document.elementFromPoint(x!, y!)));
  });
}
