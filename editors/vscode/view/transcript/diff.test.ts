import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compare, counts, readUnified } from './diff';

/** Writes lines with a mark each. */
const written = (lines: ReturnType<typeof compare>): string[] => lines.map(({ kind, text }) => ({ same: ' ', added: '+', removed: '-', gap: '~' })[kind] + text);

test('reads a unified diff', () => {
  const diff = '--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n\\ No newline at end of file\n@@ -9 +9,2 @@\n z\n+--- y\n';
  const lines = readUnified(diff);
  assert.deepEqual(written(lines), [' a', '-b', '+c', '~', ' z', '+--- y']);
  assert.deepEqual(counts(lines), { added: 2, removed: 1 });
});

test('compares texts', () => assert.deepEqual(written(compare('1\n2\n3\nx\n5\n6\n', '1\n2\n3\ny\nz\n5\n6\n', 1)), [' 3', '-x', '+y', '+z', ' 5']));
test('compares with nothing', () => assert.deepEqual(written(compare('', 'a\nb')), ['+a', '+b']));
test('compares alike lines', () => assert.deepEqual(written(compare('a\na\n', 'a\na\na\n', 0)), ['+a']));
