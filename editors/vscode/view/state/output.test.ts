import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unfenced } from './output';

const cases: [string, string | undefined][] = [
  ['```\nok\n```', 'ok\n'],
  ['```sh\nok\n```\n', 'ok\n'],
  ['````\n```\n````', '```\n'],
  ['```\n```', ''],
  ['text', undefined],
  ['```\na\n```\nand\n```\nb\n```', undefined],
];
for (const [text, code] of cases) {
  test(JSON.stringify(text), () => assert.equal(unfenced(text), code));
}
