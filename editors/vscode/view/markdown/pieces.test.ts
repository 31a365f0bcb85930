import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pieces, shortLine, shownLine } from './pieces';

test('a short line stays as it is', () => assert.equal(shortLine('a'), 'a'));

test('a giant line is cut between characters', () => assert.equal(shortLine(`${'x'.repeat(shownLine - 1)}😀${'y'.repeat(50)}`), `${'x'.repeat(shownLine - 1)}…`));

test('pieces are the whole text', () => {
  const text = `${'line\n'.repeat(50)}${'😀'.repeat(30)}`;
  const parts = pieces(text, 16);
  assert.equal(parts.join(''), text);
  assert.ok(parts.every((part) => part.length <= 16 && !/[\uDC00-\uDFFF]/.test(part[0]!)));
});
