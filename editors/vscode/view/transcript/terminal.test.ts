import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shownOutput, plainOutput } from './terminal';

const outputs: [string, string, string][] = [
  ['colours', '\u001B[1;31mred\u001B[0m text', 'red text'],
  ['a progress', '10%\r50%\r100%\ndone', '100%\ndone'],
  ['line ends of Windows', 'a\r\nb\r\r\nc', 'a\nb\nc'],
  ['a title', '\u001B]0;title\u0007text', 'text'],
  ['a link', '\u001B]8;;http://x\u001B\\name\u001B]8;;\u001B\\', 'name'],
];
for (const [name, text, plain] of outputs) {
  test(name, () => assert.equal(plainOutput(text), plain));
}

test('the end of an output begins with a line', () => assert.deepEqual(shownOutput('one\ntwo\nthree\n', 8), { text: 'three\n', hidden: 8 }));
test('the end of a giant line is cut between characters', () => assert.deepEqual(shownOutput('abc😀def', 4), { text: 'def', hidden: 5 }));
