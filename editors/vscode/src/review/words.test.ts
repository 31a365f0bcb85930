import assert from 'node:assert/strict';
import { test } from 'node:test';
import { removedWords } from './words';

const cases: { name: string; before: string; after: string; want: string }[] = [
  { name: 'a word', before: 'return a + b\n', after: 'return a + c\n', want: 'return a + [b]\n' },
  { name: 'an addition', before: 'f(a)\n', after: 'f(a, b)\n', want: 'f(a)\n' },
  { name: 'equal texts', before: 'same\n', after: 'same\n', want: 'same\n' },
  { name: 'words apart', before: 'one two three\n', after: '1 two 3\n', want: '[one] two [three]\n' },
  { name: 'neighbours as one', before: 'f(a, b)\n', after: 'f(a)\n', want: 'f(a[, b])\n' },
  { name: 'over lines', before: 'a\nkeep\nold\n', after: 'b\nkeep\n', want: '[a]\nkeep[\nold]\n' },
  { name: 'nothing in common', before: 'alpha beta', after: '123', want: 'alpha beta' },
  { name: 'letters beyond ASCII', before: 'größe = 1\n', after: 'größer = 1\n', want: '[größe] = 1\n' },
  { name: 'too long', before: 'a b '.repeat(400), after: 'c d '.repeat(400), want: 'a b '.repeat(400) },
];

for (const { name, before, after, want } of cases) {
  test(name, () => {
    const got = removedWords(before, after).reduceRight(
      (text, { start, end }) => `${text.slice(0, start)}[${text.slice(start, end)}]${text.slice(end)}`,
      before,
    );
    assert.equal(got, want);
  });
}
