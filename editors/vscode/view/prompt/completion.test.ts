import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Chip } from '../../src/shared/messages';
import { merge, triggerAt } from './completion';

const triggers = [
  { name: 'a lone at sign', text: '@', want: { sign: '@', start: 0, query: '' } },
  { name: 'a path', text: 'look at @src/a.go', want: { sign: '@', start: 8, query: 'src/a.go' } },
  { name: 'a path after a bracket', text: 'see (@a', want: { sign: '@', start: 5, query: 'a' } },
  { name: 'a quoted path with a blank', text: '@"my file', want: { sign: '@', start: 0, query: 'my file' } },
  { name: 'an escaped blank', text: '@my\\ file', want: { sign: '@', start: 0, query: 'my file' } },
  { name: 'a second line', text: 'one\n@two', want: { sign: '@', start: 4, query: 'two' } },
  { name: 'an address of mail', text: 'me@example.org', want: undefined },
  { name: 'a word behind a finished name', text: '@a b', want: undefined },
  { name: 'a closed quotation', text: '@"a" ', want: undefined },
  { name: 'a command', text: '/mod', want: { sign: '/', start: 0, query: 'mod' } },
  { name: 'a command after blanks', text: '  /', want: { sign: '/', start: 2, query: '' } },
  { name: 'a slash in a sentence', text: 'a /b', want: undefined },
  { name: 'the words of a command', text: '/mode plan', want: undefined },
  { name: 'a path at the start', text: '/usr/lib', want: undefined },
];

for (const { name, text, want } of triggers) {
  test(`${name}: ${want ? 'completed' : 'left alone'}`, () => assert.deepEqual(triggerAt(text, text.length), want));
}

test('only what is before the cursor counts', () => {
  assert.deepEqual(triggerAt('@abc def', 3), { sign: '@', start: 0, query: 'ab' });
});

const trigger = { sign: '@', start: 3, query: 'ma' } as const;
const range = { start: 3, end: 6 };
const file = (path: string): Chip => ({
  id: `file:${path}`,
  kind: 'editor',
  label: path.slice(path.lastIndexOf('/') + 1),
  detail: path,
  block: { type: 'resource_link', uri: `file:///w/${path}`, name: path },
});

test('a file that the server has is not offered twice', () => {
  const block = { type: 'resource_link', uri: 'file:///w/cmd/main.go', name: 'cmd/main.go' } as const;
  const items = [{ label: 'main.go', kind: 'file', insertText: '@cmd/main.go ', range, block }];
  const offers = merge(trigger, 6, items, [file('cmd/main.go'), file('mail.go')]);
  assert.deepEqual(
    offers.map(({ insert, chip }) => [insert, chip?.kind]),
    [
      ['main.go ', 'file'],
      ['mail.go ', 'editor'],
    ],
  );
});

test('an offer without a block is text as the server has it', () => {
  const items = [{ label: 'src/', kind: 'folder', insertText: '@src/', range }];
  assert.deepEqual(merge(trigger, 6, items, []), [
    { key: 'folder:@src/:src/', kind: 'folder', label: 'src/', detail: '', insert: '@src/', range },
  ]);
});

test('the kinds that the server knows are its own', () => {
  const block = { type: 'text', text: '' } as const;
  const problems = { id: 'problems', kind: 'problems', label: 'Problems', block };
  const symbol = { id: 's', kind: 'symbol', label: 'main', block };
  const items = [{ label: '1 problem', kind: 'problems', insertText: '', range, block }];
  assert.deepEqual(
    merge(trigger, 6, items, [problems, symbol]).map(({ kind, label, insert }) => [kind, label, insert]),
    [
      ['problems', '1 problem', ''],
      ['symbol', 'main', 'main '],
    ],
  );
});

test('what a word names comes before files', () => {
  const block = { type: 'text', text: '' } as const;
  const items = [{ label: 'terminal.go', kind: 'file', insertText: '@terminal.go ', range }];
  const terminal = { id: 'terminal', kind: 'terminal', label: 'Selection in the terminal', block };
  assert.deepEqual(
    merge(trigger, 6, items, [terminal]).map(({ kind }) => kind),
    ['terminal', 'file'],
  );
});
