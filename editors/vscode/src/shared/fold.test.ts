import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { apply, emptyFold, fold, ordered, withEarlier } from './fold';
import type { Change, HunkView, Item, Question, View } from './view';

/** The changes that every client folds, and what they make. */
const sequences = JSON.parse(readFileSync('../../agent/view/testdata/sequences.json', 'utf8')) as {
  view?: View;
  earlier?: View;
  changes: Change[] | null;
  items?: Item[];
  questions?: Question[];
  hunks?: HunkView[];
}[][];

sequences.forEach((steps, number) => {
  test(`the fold of sequence ${number + 1} has what the server has`, () => {
    let view = emptyFold;
    for (const { view: again, earlier, changes, items, questions, hunks } of steps) {
      view = again ? fold(again) : earlier ? withEarlier(view, earlier) : view;
      view = apply(view, view.version + 1, changes ?? []);
      if (items) {
        assert.deepEqual([...ordered(view)], items);
      }
      if (questions) {
        assert.deepEqual(view.questions, questions);
      }
      if (hunks) {
        assert.deepEqual(view.hunks, new Map(hunks.map((hunk) => [hunk.id, hunk])));
      }
    }
  });
});

const item = (id: string, parent?: string, more: Partial<Item> = {}): Item => ({ id, ...(parent && { parent }), kind: 'answer', title: { text: id }, ...more });
const question = (id: string): Question => ({ id, code: '', title: { text: id }, brief: { text: id }, parts: [], lines: [], options: [] });
const hunk = (id: string, line: number): HunkView => ({
  id,
  changeSetId: 'c',
  hunkId: id,
  fileId: 'f',
  state: 'pending',
  range: { start: { line, character: 0 }, end: { line: line + 1, character: 0 } },
  label: { text: '' },
  actions: [],
});
const view = (items: Item[], more: Partial<View> = {}): View => ({ version: 4, items, questions: [], verbs: [], ...more });
const ids = (of: ReturnType<typeof fold>): string[] => [...ordered(of)].map(({ id }) => id);

test('after puts an item behind its sibling, first with null, and moves one that is known', () => {
  let now = fold(view([item('a'), item('b')]));
  now = apply(now, 5, [{ item: item('c'), after: 'a' }, { item: item('d'), after: null }]);
  assert.deepEqual(ids(now), ['d', 'a', 'c', 'b']);
  now = apply(now, 6, [{ item: item('d'), after: 'b' }]);
  assert.deepEqual(ids(now), ['a', 'c', 'b', 'd']);
  now = apply(now, 7, [{ item: item('b') }]);
  assert.deepEqual(ids(now), ['a', 'c', 'b', 'd']);
});

test('an earlier page stands before what is known, in the turn that it belongs to', () => {
  const now = fold(view([item('t2'), item('c', 't2')], { earlier: true }));
  const all = withEarlier(now, view([item('t1'), item('a', 't1'), item('t2'), item('b', 't2')]));
  assert.deepEqual(ids(all), ['t1', 'a', 't2', 'b', 'c']);
  assert.equal(all.earlier, false);
  assert.equal(all.items.get('t2'), now.items.get('t2'));
});

test('questions keep their places, and are dropped by their ids', () => {
  let now = fold(view([], { questions: [question('p'), question('q')] }));
  now = apply(now, 5, [{ question: { ...question('p'), title: { text: 'new' } } }, { question: question('r'), after: null }]);
  assert.deepEqual(now.questions.map(({ id, title }) => [id, title.text]), [['r', 'r'], ['p', 'new'], ['q', 'q']]);
  now = apply(now, 6, [{ drop: ['p'] }]);
  assert.deepEqual(now.questions.map(({ id }) => id), ['r', 'q']);
});

test('a move takes the hunks of one file along', () => {
  const files = [item('f', undefined, { kind: 'file', place: { uri: 'file:///a' } }), item('g', undefined, { kind: 'file', place: { uri: 'file:///b' } })];
  const before = fold(view(files, { hunks: [hunk('1', 2), hunk('2', 8), hunk('3', 20), { ...hunk('4', 20), fileId: 'g' }] }));
  const after = apply(before, 5, [{ move: 'file:///a', version: 7, lines: [[5, 2], [15, -1]] }]);
  assert.deepEqual([...after.hunks.values()].map(({ range, version }) => [range.start.line, range.end.line, version]), [[2, 3, 7], [10, 11, 7], [21, 22, 7], [20, 21, undefined]]);
  assert.equal(apply(after, 6, [{ drop: ['2'] }]).hunks.size, 3);
});

test('what changes is replaced, and leaves the rest as it is', () => {
  const before = fold(view([item('t'), item('a', 't'), item('b', 't', { parts: [{ kind: 'markdown', text: 'x' }] }), item('u'), item('d', 'u')]));
  const { a, b } = Object.fromEntries(before.items);
  const [top, below, others] = ['', 't', 'u'].map((id) => before.below.get(id));
  const after = apply(before, 5, [{ append: 'b', text: 'y' }, { status: item('s', undefined, { kind: 'status' }) }, { item: item('c', 't') }, { item: item('e', 't'), after: null }]);
  assert.notEqual(after, before);
  assert.equal(after.items.get('a'), a);
  assert.equal(b?.parts?.[0]?.text, 'x');
  assert.equal(after.items.get('b')?.parts?.[0]?.text, 'xy');
  assert.equal(after.status?.id, 's');
  assert.equal(after.below.get(''), top);
  assert.equal(after.below.get('u'), others);
  assert.deepEqual([below, after.below.get('t')], [['a', 'b'], ['e', 'a', 'b', 'c']]);
});

/** A map that counts what is read and written of it. A copy of it reads all. */
class Counted<K, V> extends Map<K, V> {
  static count = 0;

  override get(key: K): V | undefined {
    Counted.count++;
    return super.get(key);
  }

  override set(key: K, value: V): this {
    Counted.count++;
    return super.set(key, value);
  }

  override *[Symbol.iterator](): MapIterator<[K, V]> {
    for (const entry of super.entries()) {
      Counted.count++;
      yield entry;
    }
  }
}

/** How much a view with so many turns of ten items reads and writes of its maps for each of some changes. */
function costs(turns: number): number[] {
  const items = Array.from({ length: turns }, (_, n) => [item(`t${n}`), ...Array.from({ length: 9 }, (_, i) => item(`${n}/${i}`, `t${n}`, { parts: [{ kind: 'markdown' }] }))]).flat();
  const made = fold(view(items));
  let now: ReturnType<typeof fold> = { ...made, items: new Counted(made.items), below: new Counted(made.below), hunks: new Counted(made.hunks) };
  const changes: Change[] = [
    { append: `${turns - 1}/8`, text: 'x' },
    { append: '0/0', text: 'x' },
    { item: item('new') },
    { item: item('first', 't0'), after: null },
    { item: item('0/5', 't0') },
    { item: item('0/5', 't0'), after: '0/1' },
    { drop: ['0/7'] },
    { drop: ['t3'] },
    { question: question('q') },
    { hunk: hunk('h', 1) },
    { status: item('s', undefined, { kind: 'status' }) },
  ];
  return changes.map((change) => {
    Counted.count = 0;
    now = apply(now, now.version + 1, [change]);
    return Counted.count;
  });
}

test('a change costs the same, however many items there are', () => {
  assert.deepEqual(costs(1000), costs(10));
});
