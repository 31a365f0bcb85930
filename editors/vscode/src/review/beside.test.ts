import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isBeside } from './beside';
import type { ReviewHunk } from './store';

const hunk = (oldText: string, newText: string, op = 'modify'): ReviewHunk => ({ hunk: { oldText, newText }, file: { op } }) as ReviewHunk;

const cases: [what: string, oldText: string, newText: string, want: boolean][] = [
  ['short lines', '    return "fee"\n', '    return "parking fee"\n', true],
  ['a short new line after a long old one', `${'a'.repeat(76)}\n`, 'b\n', false],
  ['a long new line after a short old one', 'a\n', `${'b'.repeat(76)}\n`, false],
  ['lines that fit exactly', `${'a'.repeat(38)}\r\n`, `\t${'b'.repeat(38)}\r\n`, true],
  ['tabs', `${'\t'.repeat(10)}a\n`, `${'b'.repeat(38)}\n`, false],
  ['wide characters', `${'費'.repeat(20)}\n`, `${'料'.repeat(20)}\n`, false],
  ['several lines', 'a\n', 'b\nc\n', false],
];
for (const [what, oldText, newText, want] of cases) {
  test(`${what}: the new text is ${want ? 'beside the old line' : 'below'}`, () => assert.equal(isBeside(hunk(oldText, newText)), want));
}
