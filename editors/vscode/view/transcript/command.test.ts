import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ToolCall } from '../../src/shared/wire';
import { wholeCommand } from './command';

const long = `echo ${'x'.repeat(300)}`;
const call = (of: Partial<ToolCall>): ToolCall => ({ toolCallId: 'c', kind: 'execute', ...of });

test('the whole command of a card', () => {
  const cases: [name: string, call: ToolCall, want: string | undefined][] = [
    ['one that the title has cut', call({ title: `${long.slice(0, 159)}…`, rawInput: { command: long } }), long],
    ['several lines', call({ title: 'a b', rawInput: { command: 'a\nb' } }), 'a\nb'],
    ['hidden characters', call({ rawInput: { command: `a\u202e\n${'b'}` } }), 'a\\u{202E}\nb'],
    ['one that the title shows', call({ title: 'ls', rawInput: { command: 'ls' } }), undefined],
    ['a long title without input', call({ title: long }), long],
    ['input of another shape', call({ title: long, rawInput: ['ls'] }), long],
    ['no command', call({ kind: 'read', title: long, rawInput: { command: long } }), undefined],
  ];
  for (const [name, given, want] of cases) {
    assert.equal(wholeCommand(given), want, name);
  }
});
