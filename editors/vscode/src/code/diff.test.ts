import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commitMessage, presentable } from './diff';

const file = (name: string, text: string) => `diff --git a/${name} b/${name}\n--- a/${name}\n+++ b/${name}\n@@ -1 +1 @@\n-old\n+${text}\n`;

test('a diff goes out without the content of files that hold secrets', () => {
  const diff = file('src/a.ts', 'let a') + file('.env', 'KEY=hidden') + file('deploy/.env.local', 'KEY=hidden') + file('ssl/server.pem', 'hidden') + file('b.go', 'b');
  const shown = presentable(diff);
  assert.ok(!shown.includes('hidden'));
  assert.ok(shown.includes('let a') && shown.includes('+b\n'));
  assert.match(shown, /diff --git a\/\.env b\/\.env\n\(left out/);
});

test('names that git quotes are recognised', () => {
  assert.ok(!presentable('diff --git "a/\\303\\244/.env" "b/\\303\\244/.env"\n+hidden\n').includes('hidden'));
});

test('a long diff is cut, and says so', () => {
  const shown = presentable(file('a', 'x'.repeat(200_000)));
  assert.ok(shown.length < 101_000);
  assert.match(shown, /the rest is omitted/);
});

const answers: [what: string, answer: string, want: string][] = [
  ['a message', ' a: do it\n\nWhy.\n', 'a: do it\n\nWhy.'],
  ['a message in a fence', '```\na: do it\n\nWhy.\n```', 'a: do it\n\nWhy.'],
  ['a fence with a language and words around it', 'Here it is:\n```text\na: do it\n```\n', 'a: do it'],
  ['nothing', '', ''],
];
for (const [what, answer, want] of answers) {
  test(`reads ${what}`, () => assert.equal(commitMessage(answer), want));
}
