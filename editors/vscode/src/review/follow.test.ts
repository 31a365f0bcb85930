import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Follower, type Lines } from './follow';

const document = (text: string): Lines => {
  const lines = text.split('\n');
  return { count: lines.length, line: (row) => lines[row] ?? '' };
};

const at = (line: number, character = 0) => ({ line, character });

function follower(row: number, text: string, before: string): Follower {
  const f = new Follower();
  f.update([{ id: 'h', row, text }], document(before));
  return f;
}

test('moves a hunk down with a line typed above it', () => {
  const f = follower(1, 'b\n', 'a\nb\nc');
  f.edit({ start: at(0, 1), end: at(0, 1), lines: 1 });
  assert.equal(f.row('h'), 2);
});

test('moves a hunk down with a line typed right before it', () => {
  const f = follower(1, 'b\n', 'a\nb\nc');
  f.edit({ start: at(1, 0), end: at(1, 0), lines: 1 });
  assert.equal(f.row('h'), 2);
});

test('moves a hunk up with lines deleted above it', () => {
  const f = follower(2, 'c\n', 'a\nb\nc');
  f.edit({ start: at(0), end: at(2), lines: 0 });
  assert.equal(f.row('h'), 0);
});

test('leaves a hunk where it is when the user types below it or in a line', () => {
  const f = follower(1, 'b\n', 'a\nb\nc');
  f.edit({ start: at(2), end: at(2), lines: 3 });
  f.edit({ start: at(0, 1), end: at(0, 1), lines: 0 });
  assert.equal(f.row('h'), 1);
});

test('keeps the row of an update that is older than what was typed', () => {
  const f = follower(1, 'b\n', 'a\nb\nc');
  f.edit({ start: at(0, 1), end: at(0, 1), lines: 1 });
  f.update([{ id: 'h', row: 1, text: 'b\n' }], document('a\n\nb\nc'));
  assert.equal(f.row('h'), 2);
});

test("takes the server's row where the text is there", () => {
  const f = follower(1, 'b\n', 'a\nb\nc\nb');
  f.update([{ id: 'h', row: 3, text: 'b\n' }], document('a\nb\nc\nb'));
  assert.equal(f.row('h'), 3);
});

test("takes the server's row where its own is wrong", () => {
  const f = follower(1, 'b\n', 'a\nb\nc');
  f.edit({ start: at(0), end: at(1, 1), lines: 0 });
  f.update([{ id: 'h', row: 1, text: 'b\n' }], document('x\nb\nc'));
  assert.equal(f.row('h'), 1);
});

test('follows an insertion at the end of a text without a last line end', () => {
  const f = follower(1, 'b', 'a\nb');
  f.update([{ id: 'h', row: 1, text: 'b' }], document('a\nb'));
  assert.equal(f.row('h'), 1);
  f.update([{ id: 'h', row: 9, text: '' }], document('a\nb'));
  assert.equal(f.row('h'), 1);
});

test('forgets hunks that are not reported any more', () => {
  const f = follower(1, 'b\n', 'a\nb');
  f.update([], document('a\nb'));
  assert.equal(f.row('h'), undefined);
});

test('compares lines whatever their line ends are', () => {
  const f = follower(0, 'a\r\n', 'a\nb');
  f.update([{ id: 'h', row: 1, text: 'b\r\n' }], document('a\nb'));
  assert.equal(f.row('h'), 1);
});
