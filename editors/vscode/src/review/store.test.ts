import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChangeSet, Hunk, HunkState } from '../shared/wire';
import { ChangeStore } from './store';

function hunk(hunkId: string, line: number, state: HunkState = 'pending'): Hunk {
  return { hunkId, state, range: { start: { line, character: 0 }, end: { line: line + 1, character: 0 } }, oldText: 'a\n', newText: 'b\n' };
}

function set(changeSetId: string, version: number, hunks: Hunk[], uri = 'file:///a.go'): ChangeSet {
  return { changeSetId, sessionId: 's', title: 't', state: 'pending', version, files: [{ uri, op: 'modify', openInEditor: true, diff: '', hunks }] };
}

interface World {
  store: ChangeStore;
  missed: string[];
  changed: string[][];
  alone: { applies: boolean };
}

function world(): World {
  const w = { missed: [] as string[], changed: [] as string[][], alone: { applies: false } };
  const store = new ChangeStore({ spell: (uri) => uri, missed: (id) => w.missed.push(id), appliesAlone: () => w.alone.applies });
  store.onChange((uris) => w.changed.push([...uris]));
  return { store, ...w };
}

const states = (store: ChangeStore, uri = 'file:///a.go') =>
  store.hunks(uri, ['pending', 'accepted', 'rejected', 'conflicted', 'superseded']).map((h) => `${h.id} ${h.hunk.state} ${h.hunk.range.start.line}`);

test('lists the hunks of a set by line, and counts those that are pending', () => {
  const { store, changed } = world();
  store.notified({ changeSet: set('c', 1, [hunk('x', 9), hunk('y', 2), hunk('z', 5, 'rejected')]) });
  assert.deepEqual(states(store), ['y pending 2', 'z rejected 5', 'x pending 9']);
  assert.equal(store.pendingCount, 2);
  assert.deepEqual(changed, [['file:///a.go']]);
});

test('applies a delta to the set and to its files', () => {
  const { store } = world();
  store.notified({ changeSet: set('c', 1, [hunk('x', 1), hunk('y', 2)]) });
  store.notified({ delta: { changeSetId: 'c', version: 2, state: 'partial', hunks: [hunk('y', 7, 'accepted')] } });
  assert.deepEqual(states(store), ['x pending 1', 'y accepted 7']);
  assert.equal(store.set('c')?.state, 'partial');
  assert.equal(store.set('c')?.files[0]?.hunks[1]?.state, 'accepted');
  assert.equal(store.pendingCount, 1);
});

test('removes hunks that a delta removes, and keeps the others in their places', () => {
  const { store } = world();
  store.notified({ changeSet: set('c', 1, [hunk('x', 1), hunk('y', 2)]) });
  store.notified({ delta: { changeSetId: 'c', version: 2, hunks: [], removed: ['x'] } });
  store.notified({ delta: { changeSetId: 'c', version: 3, hunks: [hunk('y', 4)] } });
  assert.deepEqual(store.set('c')?.files[0]?.hunks.map((h) => h.range.start.line), [4]);
  assert.equal(store.hunk('x'), undefined);
  assert.equal(store.pendingCount, 1);
});

test('requests the whole set once after a gap, and takes deltas that follow the answer', () => {
  const { store, missed } = world();
  store.notified({ changeSet: set('c', 1, [hunk('x', 1)]) });
  store.notified({ delta: { changeSetId: 'c', version: 3, hunks: [hunk('x', 3)] } });
  store.notified({ delta: { changeSetId: 'c', version: 4, hunks: [hunk('x', 4)] } });
  assert.deepEqual(missed, ['c']);
  assert.deepEqual(states(store), ['x pending 1']);
  store.answered([set('c', 4, [hunk('x', 4)])]);
  store.notified({ delta: { changeSetId: 'c', version: 5, hunks: [hunk('x', 5)] } });
  assert.deepEqual(states(store), ['x pending 5']);
  store.notified({ delta: { changeSetId: 'c', version: 9, hunks: [] } });
  assert.deepEqual(missed, ['c', 'c']);
});

test('requests a set of which a delta names an unknown hunk', () => {
  const { store, missed } = world();
  store.notified({ changeSet: set('c', 1, [hunk('x', 1)]) });
  store.notified({ delta: { changeSetId: 'c', version: 2, hunks: [hunk('new', 1)] } });
  assert.deepEqual(missed, ['c']);
});

test('ignores deltas and answers that are older than what is known', () => {
  const { store, missed } = world();
  store.notified({ changeSet: set('c', 5, [hunk('x', 5)]) });
  store.notified({ delta: { changeSetId: 'c', version: 4, hunks: [hunk('x', 4)] } });
  store.answered([set('c', 3, [hunk('x', 3)])]);
  assert.deepEqual(states(store), ['x pending 5']);
  assert.deepEqual(missed, []);
});

test('moves a hunk to the file that a new version of the set names', () => {
  const { store, changed } = world();
  store.notified({ changeSet: set('c', 1, [hunk('x', 1)], 'file:///link/a.go') });
  store.notified({ changeSet: set('c', 2, [hunk('x', 1)]) });
  assert.deepEqual(store.uris, ['file:///a.go']);
  assert.deepEqual(changed.at(-1)?.sort(), ['file:///a.go', 'file:///link/a.go']);
});

test('shows as applied what was accepted without a question, until the next prompt', () => {
  const { store, alone } = world();
  const applied = () => store.hunks('file:///a.go', ['applied']).map(({ id }) => id);
  alone.applies = true;
  store.notified({ changeSet: set('c', 1, [hunk('x', 1), hunk('y', 2), hunk('z', 3, 'accepted')]) });
  store.deciding(['y']);
  store.notified({ delta: { changeSetId: 'c', version: 2, hunks: [hunk('x', 1, 'accepted'), hunk('y', 2, 'accepted')] } });
  assert.deepEqual(applied(), ['x', 'z']);
  store.answered([set('old', 1, [hunk('o', 1, 'accepted')])]);
  assert.deepEqual(applied(), ['x', 'z']);
  store.seen('s');
  assert.deepEqual(applied(), []);
});

test('hides a dismissed conflict until its state changes', () => {
  const { store } = world();
  store.notified({ changeSet: set('c', 1, [hunk('x', 1, 'conflicted')]) });
  store.dismiss('x');
  assert.deepEqual(states(store), []);
  store.notified({ delta: { changeSetId: 'c', version: 2, hunks: [hunk('x', 1)] } });
  store.notified({ delta: { changeSetId: 'c', version: 3, hunks: [hunk('x', 1, 'conflicted')] } });
  assert.deepEqual(states(store), ['x conflicted 1']);
});

test('forgets everything when the server ends', () => {
  const { store, changed } = world();
  store.notified({ changeSet: set('c', 7, [hunk('x', 1)]) });
  store.clear();
  assert.deepEqual([store.uris, store.sets, store.pendingCount], [[], [], 0]);
  assert.deepEqual(changed.at(-1), ['file:///a.go']);
  store.notified({ changeSet: set('c', 1, [hunk('x', 1)]) });
  assert.equal(store.pendingCount, 1);
});
