import assert from 'node:assert/strict';
import { test } from 'node:test';
import { before, findIn, nearest, placeOf } from './matches';

/** Matches as `node:offset-node:offset`. */
function found(texts: string[], query: string): string[] {
  const pieces = texts.map((text, node) => ({ node, text }));
  return findIn(pieces, query).map(({ start, end }) => `${start.node}:${start.offset}-${end.node}:${end.offset}`);
}

const cases: [string, string[], string, string[]][] = [
  ['in one piece', ['a match'], 'match', ['0:2-0:7']],
  ['whatever the case', ['A Match'], 'mATCH', ['0:2-0:7']],
  ['over pieces', ['a ma', 'tc', 'h b'], 'match', ['0:2-2:1']],
  ['at the edges of pieces', ['one', 'two', 'one'], 'one', ['0:0-0:3', '2:0-2:3']],
  ['twice in a piece', ['aXaX'], 'x', ['0:1-0:2', '0:3-0:4']],
  ['with marks of patterns', ['a.b(c)[d]*'], '.b(c)[d]*', ['0:1-0:10']],
  ['nothing', ['abc'], 'x', []],
  ['no query', ['abc'], '', []],
];
for (const [name, texts, query, expected] of cases) {
  test(name, () => assert.deepEqual(found(texts, query), expected));
}

test('places are counted over the turns', () => {
  const counts = [0, 2, 0, 1];
  const places = [
    { turn: 1, match: 0 },
    { turn: 1, match: 1 },
    { turn: 3, match: 0 },
  ];
  assert.deepEqual(places.map((place) => before(counts, place)), [0, 1, 2]);
  assert.deepEqual([0, 1, 2].map((index) => placeOf(counts, index)), places);
});
test('a turn with fewer matches than before has its last one', () => assert.deepEqual(nearest([2, 1], { turn: 0, match: 7 }), { turn: 0, match: 1 }));
test('after a turn without matches comes the next', () => assert.deepEqual(nearest([2, 0, 1], { turn: 1, match: 3 }), { turn: 2, match: 0 }));
test('after the last turn comes the first', () => assert.deepEqual(nearest([2, 0], { turn: 1, match: 0 }), { turn: 0, match: 0 }));
