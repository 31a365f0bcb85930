import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commitMessage } from './diff';

const answers: [what: string, answer: string, want: string][] = [
  ['a message', ' a: do it\n\nWhy.\n', 'a: do it\n\nWhy.'],
  ['a message in a fence', '```\na: do it\n\nWhy.\n```', 'a: do it\n\nWhy.'],
  ['a fence with a language and words around it', 'Here it is:\n```text\na: do it\n```\n', 'a: do it'],
  ['nothing', '', ''],
];
for (const [what, answer, want] of answers) {
  test(`reads ${what}`, () => assert.equal(commitMessage(answer), want));
}
