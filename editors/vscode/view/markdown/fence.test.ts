import assert from 'node:assert/strict';
import { test } from 'node:test';
import { closeFence, openFence } from './fence';

/** The code of a fence at the beginning of a text, and what follows it. */
function read(text: string): [string, string, string] | string {
  const fence = openFence(text, 0);
  if (!fence) {
    return 'none';
  }
  const closed = closeFence(text, fence, 0);
  return closed ? [fence.info, text.slice(fence.body, closed.end), text.slice(closed.next)] : 'open';
}

const cases: [string, unknown][] = [
  ['```go\na\n```\nrest', ['go', 'a\n', 'rest']],
  ['~~~\n```\n~~~~\n', ['', '```\n', '']],
  ['````\n```\n````', ['', '```\n', '']],
  ['```go\na\n``', 'open'],
  ['```go\n  x ``` y\n', 'open'],
  ['```go', 'none'],
  ['```a`b\n', 'none'],
  ['text\n```\n', 'none'],
];

for (const [text, result] of cases) {
  test(JSON.stringify(text), () => assert.deepEqual(read(text), result));
}
