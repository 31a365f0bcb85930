import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Typed, type Edit } from './typed';

function edit(line: number, character: number, lines: number, end = { line, character }): Edit {
  return { start: { line, character }, end, lines };
}

test('rows below an edit move, and those above it and in it do not', () => {
  const typed = new Typed();
  assert.equal(typed.add(2, [edit(3, 5, 2)]), true);
  assert.deepEqual([0, 3, 4, 9].map((row) => typed.row(row, 1)), [0, 3, 6, 11]);
});

test('lines that come at the start of a row move it', () => {
  const typed = new Typed();
  typed.add(2, [edit(3, 0, 1)]);
  assert.equal(typed.row(3, 1), 4);
});

test('several edits of one change are each told as if they were the only one', () => {
  const typed = new Typed();
  typed.add(2, [edit(1, 0, 1), edit(5, 0, 0, { line: 7, character: 0 })]);
  assert.deepEqual([1, 4, 7, 8].map((row) => typed.row(row, 1)), [2, 5, 6, 7]);
});

test('only what came after the version counts', () => {
  const typed = new Typed();
  typed.add(2, [edit(0, 0, 1)]);
  typed.add(3, [edit(0, 0, 1)]);
  assert.deepEqual([0, 1, 2, 3].map((version) => typed.row(5, version)), [7, 7, 6, 5]);
  typed.forget(2);
  assert.equal(typed.row(5, 2), 6);
});

test('a change within lines moves nothing', () => {
  const typed = new Typed();
  assert.equal(typed.add(2, [edit(0, 3, 0)]), false);
  assert.equal(typed.row(5, 1), 5);
});
