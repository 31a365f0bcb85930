import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readUnified } from './diff';

test('reads a unified diff', () => {
  const diff = '--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n\\ No newline at end of file\n@@ -9 +9,2 @@\n z\n+--- y\n';
  assert.deepEqual(readUnified(diff), [['=', 'a'], ['-', 'b'], ['+', 'c'], ['…', ''], ['=', 'z'], ['+', '--- y']]);
});
