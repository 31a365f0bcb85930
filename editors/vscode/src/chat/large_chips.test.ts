import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Chip } from '../shared/messages';
import { LargeChips } from './large_chips';

function picture(data: string): Chip {
  return { id: 'image:1:a.png', kind: 'image', label: 'a.png', block: { type: 'image', data, mimeType: 'image/png' } };
}

async function folder(t: { after: (run: () => Promise<void>) => void }): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'emendo-chips-'));
  t.after(() => rm(dir, { recursive: true }));
  return join(dir, 'drafts');
}

test('what is being written can be read', async (t) => {
  const chips = new LargeChips(await folder(t));
  void chips.keep('a', picture('one'));
  assert.deepEqual(await chips.read(['none', 'a']), [{ key: 'a', chip: picture('one') }]);
});

test('a key is no path', async (t) => {
  const chips = new LargeChips(await folder(t));
  await assert.rejects(chips.keep('../a', picture('one')), /invalid key/);
  assert.deepEqual(await chips.read(['../../etc/passwd']), []);
});

test('chips that no draft names are deleted after a while', async (t) => {
  const dir = await folder(t);
  const chips = new LargeChips(dir);
  await chips.keep('a', picture('one'));
  await chips.keep('b', picture('two'));
  await chips.prune(new Set(['a']), Date.now());
  assert.deepEqual((await readdir(dir)).sort(), ['a', 'b'], 'a draft may name it in a moment');
  await chips.prune(new Set(['a']), Date.now() + 2 * 60 * 60 * 1000);
  assert.deepEqual(await readdir(dir), ['a']);
});

test('the oldest make room for a new one', async (t) => {
  const dir = await folder(t);
  const chips = new LargeChips(dir, 1000);
  await chips.keep('a', picture('x'.repeat(300)));
  await utimes(join(dir, 'a'), 1, 1);
  await chips.keep('b', picture('x'.repeat(300)));
  await utimes(join(dir, 'b'), 2, 2);
  await chips.keep('c', picture('x'.repeat(300)));
  assert.deepEqual((await readdir(dir)).sort(), ['b', 'c']);
  await chips.keep('d', picture('x'.repeat(2000)));
  assert.deepEqual(await readdir(dir), ['d'], 'the new one is kept in any case');
});
