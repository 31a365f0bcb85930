import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cut, pieces, shownCharacters, shownLine, shownLines } from './cut';

test('a short text stays as it is', () => assert.deepEqual(cut('a\nb\n'), { text: 'a\nb\n', hidden: 0, full: false }));

test('too many lines are cut after a line', () => {
  const { text, hidden } = cut('ab\n'.repeat(shownLines + 5));
  assert.deepEqual({ length: text.length, hidden }, { length: shownLines * 3, hidden: 15 });
});

test('too many characters are cut after a line', () => {
  const line = `${'x'.repeat(999)}\n`;
  const { text, hidden } = cut(line.repeat(shownCharacters / 1000 + 10));
  assert.deepEqual({ length: text.length, hidden }, { length: shownCharacters, hidden: 10_000 });
});

test('a giant line is cut where it is, between characters', () => {
  const { text, hidden } = cut(`a\n${'x'.repeat(shownLine - 1)}😀${'y'.repeat(50)}\nb\n`);
  assert.deepEqual({ end: text.slice(-5), hidden }, { end: 'x…\nb\n', hidden: 52 });
});

test('pieces are the whole text', () => {
  const text = `${'line\n'.repeat(50)}${'😀'.repeat(30)}`;
  const parts = pieces(text, 16);
  assert.equal(parts.join(''), text);
  assert.ok(parts.every((part) => part.length <= 16 && !/[\uDC00-\uDFFF]/.test(part[0]!)));
});
