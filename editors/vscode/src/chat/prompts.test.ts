import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Memento } from 'vscode';
import type { StoredDraft } from '../shared/messages';
import { newest, storedPrompt, storePrompt } from './prompts';

/** A memento in memory. */
function memento(): Memento {
  const values = new Map<string, unknown>();
  return {
    keys: () => [...values.keys()],
    get: <T>(key: string, other?: T) => (values.get(key) as T | undefined) ?? other,
    update: (key: string, value: unknown) => {
      values.set(key, JSON.parse(JSON.stringify(value)));
      return Promise.resolve();
    },
  } as Memento;
}

function draft(text: string, at: number): StoredDraft {
  return { text, chips: [], at };
}

test('each session has a draft, apart from what was sent', async () => {
  const state = memento();
  assert.deepEqual(storedPrompt(state), { drafts: {}, history: [] });
  await storePrompt(state, { session: '', draft: draft('half', 1) });
  await storePrompt(state, { session: 'a', draft: draft('other', 2) });
  await storePrompt(state, { sent: 'one' });
  await storePrompt(state, { sent: 'one' });
  await storePrompt(state, { sent: 'two' });
  assert.deepEqual(storedPrompt(state), { drafts: { '': draft('half', 1), a: draft('other', 2) }, history: ['one', 'two'] });
  await storePrompt(state, { session: 'a' });
  assert.deepEqual(storedPrompt(state).drafts, { '': draft('half', 1) });
});

test('the drafts that were written last are kept', async () => {
  const state = memento();
  for (let at = 0; at < 150; at++) {
    await storePrompt(state, { session: `s${at}`, draft: draft('x', at) });
  }
  await storePrompt(state, { session: 's100', draft: draft('again', 200) });
  const { drafts } = storedPrompt(state);
  assert.equal(Object.keys(drafts).length, 100);
  assert.deepEqual([drafts['s49'], drafts['s100']?.text, drafts['s50']?.text], [undefined, 'again', 'x']);

  await storePrompt(state, { session: 'large', draft: draft('y'.repeat(3 << 20), 300) });
  assert.deepEqual(Object.keys(storedPrompt(state).drafts), ['large'], 'the last one is never forgotten');
  await storePrompt(state, { session: 'small', draft: draft('z', 301) });
  assert.deepEqual(Object.keys(storedPrompt(state).drafts), ['small']);
});

test('the oldest prompts go when there are too many, or too much of them', () => {
  const many = Array.from({ length: 300 }, (_, index) => `${index}`);
  assert.deepEqual([newest(many).length, newest(many).at(-1)], [200, '299']);
  const long = ['a'.repeat(400_000), 'b'.repeat(400_000), 'c'];
  assert.deepEqual(newest(long), long.slice(1));
});
