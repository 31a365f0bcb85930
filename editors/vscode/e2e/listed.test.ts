/** The screen of sessions without VS Code: more of them than fit on a page. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { open } from '../view/dev/harness.mjs';
import { closeBrowser, sharedBrowser } from './code.ts';
import { shots } from './places.ts';
import { until } from './until.ts';

execFileSync(process.execPath, ['esbuild.mjs'], { cwd: resolve(fileURLToPath(import.meta.url), '../..') });
mkdirSync(shots, { recursive: true });
after(closeBrowser);

interface Extension {
  answers: Record<string, (params: { query?: string; cwd?: string; cursor?: string; limit: number }) => unknown>;
  give: (message: object) => void;
}

/** Plays a server that has 120 sessions, three a day, every other one of another project. */
function stored(): void {
  const extension = window as unknown as Extension;
  const notes = ['Working', 'Needs your review · 3 pending edits · 1 turn'];
  const all = Array.from({ length: 120 }, (_, i) => ({
    sessionId: `s${i}`,
    title: `Session ${i}`,
    label: { text: `Session ${i}` },
    note: { text: notes[i] ?? `${i} turns` },
    cwd: i % 2 === 0 ? '/home/me/project' : '/home/me/other',
    updatedAt: new Date(Date.now() - i * 8 * 3_600_000).toISOString(),
    turns: i,
    status: ['running', 'waiting', 'idle', 'idle'][i] ?? 'idle',
    pendingHunks: i === 1 ? 3 : 0,
  }));
  extension.answers['emendo/session/list'] = ({ query = '', cwd, cursor = '0', limit }) => {
    const found = all.filter((session) => session.title.includes(query) && (cwd === undefined || session.cwd === cwd));
    const next = Number(cursor) + limit;
    return { sessions: found.slice(Number(cursor), next), ...(next < found.length ? { nextCursor: String(next) } : {}) };
  };
}

async function count(view: Page, want: number): Promise<void> {
  await until(`the list has ${want} sessions`, async () => (await view.locator('.session').count()) === want);
}

for (const theme of ['dark', 'light', 'contrast'] as const) {
  test(`pages, projects and search, ${theme}`, async () => {
    const { view, problems, close } = await open({ browser: await sharedBrowser(), theme, state: { unread: ['s2'] } });
    try {
      await view.evaluate(stored);
      await view.evaluate(() => (window as unknown as Extension).give({ type: 'do', what: 'sessions' }));
      await count(view, 50);
      assert.ok(!(await view.getByText('Session 1', { exact: true }).isVisible()), 'the other project is left out');
      await view.getByRole('button', { name: 'Show more' }).click();
      await count(view, 60);
      assert.equal(await view.getByRole('button', { name: 'Show more' }).count(), 0);

      await view.getByRole('checkbox', { name: 'All projects' }).check();
      await count(view, 50);
      const shows = (id: string, text: RegExp): Promise<boolean> =>
        until(`the row of ${id} shows ${String(text)}`, async () => text.test(await view.locator(`[data-session=${id}]`).innerText({ timeout: 1000 })));
      await shows('s0', /Working/);
      await shows('s1', /Needs your review.*3 pending edits.*other/);
      await shows('s2', /New/);
      await view.locator('[data-session=s1]').hover();
      await view.screenshot({ path: join(shots, `listed-${theme}.png`), animations: 'disabled' });

      await view.locator('[data-session=s0] .session-open').focus();
      await view.keyboard.press('End');
      await view.keyboard.press('ArrowDown'); // beyond the end comes the next page
      await count(view, 100);

      await view.getByRole('searchbox').fill('Session 11');
      await count(view, 11);
      await view.getByRole('searchbox').fill('nothing like it');
      await view.getByText('No session has that in its title or its prompts.').waitFor();
      assert.deepEqual(problems, []);
    } finally {
      await close();
    }
  });
}
