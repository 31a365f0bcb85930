import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Row } from '../shared/view';
import { lineBeside, linesOf } from './rows';

const cases: [what: string, old: string, now: string, want: boolean][] = [
  ['short lines', '    return "fee"', '    return "parking fee"', true],
  ['a short new line after a long old one', 'a'.repeat(76), 'b', false],
  ['a long new line after a short old one', 'a', 'b'.repeat(76), false],
  ['lines that fit exactly', 'a'.repeat(38), `\t${'b'.repeat(38)}`, true],
  ['tabs', `${'\t'.repeat(10)}a`, 'b'.repeat(38), false],
  ['wide characters', '費'.repeat(20), '料'.repeat(20), false],
];
for (const [what, old, now, want] of cases) {
  test(`${what}: the new text is ${want ? 'beside the old line' : 'below'}`, () => {
    assert.equal(lineBeside({ rows: [['-', old], ['+', now]] }), want ? now : undefined);
  });
}

test('several lines are not beside another', () => assert.equal(lineBeside({ rows: [['-', 'a'], ['+', 'b'], ['+', 'c']] }), undefined));

test('the old and the new lines share those that stay', () => {
  const rows: Row[] = [['-', 'a'], ['+', 'b'], ['=', 'c'], ['+', 'd']];
  assert.deepEqual(linesOf(rows, '-'), ['a', 'c']);
  assert.deepEqual(linesOf(rows, '+'), ['b', 'c', 'd']);
});
