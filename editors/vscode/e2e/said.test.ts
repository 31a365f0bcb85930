/** The view without VS Code: it shows all that the server says of turns, notices and calls. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Item } from '../src/shared/view.ts';
import { change, inView, settle, showSession } from './in_view.ts';
import { repository } from './places.ts';
import { until } from './until.ts';

/** An item of a golden file of the server, with what it stands for. */
interface Golden {
  name: string;
  items: Item[];
}

/** What a reader must find of an item. */
function says({ kind, state, title, note, lines = [], parts = [] }: Item): string[] {
  switch (kind) {
    case 'turn':
      return [
        ...(state === 'running' || state === 'done' ? [] : [title.text]),
        ...lines.filter(({ id }) => id === 'file' || id === 'unasked').map(({ text }) => text.text),
      ];
    case 'notice':
      return [title.text, note?.text ?? '', ...parts.map(({ text }) => text ?? '')];
    case 'call':
      return [title.text, note?.text ?? '', ...lines.map(({ text }) => text.text)];
    default:
      return [];
  }
}

/** A text without its space, which the layout makes, and without the marks of Markdown. */
const plain = (text: string): string => text.replaceAll(/[\s*`]/g, '');

for (const file of ['turns', 'notices', 'calls']) {
  test(`the page says what the server says in ${file}`, () =>
    inView('dark', async (view) => {
      const golden = readFileSync(join(repository, `agent/view/testdata/${file}.jsonl`), 'utf8').trim().split('\n').map((line) => JSON.parse(line) as Golden);
      assert.ok(golden.length >= 10);
      await showSession(view);
      const log = view.getByRole('log');
      let version = 0;
      for (const { name, items } of golden) {
        await change(view, ++version, ...items.map((item) => ({ item })));
        await settle(view);
        await until(`${name} is drawn`, async () => (await log.locator('[data-turn]').count()) > 0);
        const text = plain((await log.textContent()) ?? '');
        for (const want of items.flatMap(says).map(plain)) {
          assert.ok(text.includes(want), `${name} says ${want} in ${text}`);
        }
        await change(view, ++version, { drop: items.map(({ id }) => id) });
      }
    }));
}
