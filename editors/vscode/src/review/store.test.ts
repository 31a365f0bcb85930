import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apply, fold } from '../shared/fold';
import type { HunkView, Item } from '../shared/view';
import { HunkStore } from './store';

function file(name: string): Item {
  return { id: `file-${name}`, kind: 'file', title: { text: name }, place: { uri: `FILE:///${name}` } };
}

function hunk(id: string, line: number, name = 'a.go', state: HunkView['state'] = 'pending'): HunkView {
  const range = { start: { line, character: 0 }, end: { line: line + 1, character: 0 } };
  return { id, changeSetId: 'c', hunkId: id, fileId: `file-${name}`, state, range, label: { text: '+1 −1' }, actions: [] };
}

function view(items: Item[], hunks: HunkView[]) {
  return fold({ version: 1, items, questions: [], hunks, verbs: [] });
}

const store = (): HunkStore => new HunkStore((uri) => uri.replace('FILE:', 'file:'));
const rows = (of: HunkStore): string[] => of.files.map(({ uri, hunks }) => `${uri} ${hunks.map(({ id, range }) => `${id}:${range.start.line}`).join(' ')}`);

test('lists files in the order of review, and their hunks by line', () => {
  const s = store();
  const changed = s.take(view([file('b.go'), file('a.go')], [hunk('x', 9), hunk('y', 2), hunk('z', 0, 'b.go', 'unreviewed')]));
  assert.deepEqual(rows(s), ['file:///b.go z:0', 'file:///a.go y:2 x:9']);
  assert.deepEqual([...changed].sort(), ['file:///a.go', 'file:///b.go']);
  assert.deepEqual(s.pending.map(({ id }) => id), ['y', 'x']);
  assert.deepEqual(s.hunks('file:///b.go', 'pending'), []);
  assert.equal(s.hunk('z')!.uri, 'file:///b.go');
});

test('says which files have other hunks than before', () => {
  const s = store();
  let v = view([file('a.go'), file('b.go')], [hunk('x', 9), hunk('z', 0, 'b.go')]);
  s.take(v);
  const before = s.hunk('x');
  assert.deepEqual([...s.take((v = apply(v, 2, [{ move: 'FILE:///b.go', version: 3, lines: [[0, 2]] }])))], ['file:///b.go']);
  assert.deepEqual(rows(s), ['file:///a.go x:9', 'file:///b.go z:2']);
  assert.equal(s.hunk('x'), before, 'what has not changed is the same');
  assert.deepEqual([...s.take((v = apply(v, 3, [{ drop: ['z'] }, { drop: ['file-b.go'] }])))], ['file:///b.go']);
  assert.deepEqual([...s.take(v)], []);
  assert.deepEqual([...s.take((v = apply(v, 4, [{ item: { ...file('a.go'), note: { text: '1 new error' } } }])))], ['file:///a.go'], 'a file is said of otherwise');
});
