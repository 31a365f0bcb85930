import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findIn, nearest } from './matches';

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

const places: [string, { node: number; offset: number }, number][] = [
  ['is there', { node: 2, offset: 5 }, 2],
  ['is there no more, and one follows it', { node: 2, offset: 4 }, 2],
  ['is there no more, and one follows in another node', { node: 3, offset: 0 }, 3],
  ['was the last', { node: 9, offset: 0 }, 3],
];
const starts = [
  { node: 1, offset: 0 },
  { node: 2, offset: 1 },
  { node: 2, offset: 5 },
  { node: 4, offset: 0 },
];
for (const [name, place, expected] of places) {
  test(`the nearest match to one that ${name}`, () => assert.equal(nearest(starts, place, (node, before) => node > before), expected));
}
