import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Turn } from '../state/conversation';
import { searchedTexts } from './searched';

const folders = [{ uri: 'file:///home/me', name: 'me' }];

test('what is found in a turn that is not drawn', () => {
  const turn: Turn = {
    id: 't',
    state: 'ended',
    made: 6,
    items: [
      { kind: 'prompt', key: 'p', messageId: 'p', blocks: [{ type: 'text', text: 'Look\nat **this**' }, { type: 'resource_link', uri: 'file:///a', name: 'a.go' }] },
      { kind: 'thought', key: 'h', messageId: 'm', subject: 'Looking', text: 'It *may* fail.' },
      { kind: 'tool', key: 'c', call: { toolCallId: 'c', title: 'go test', status: 'failed', locations: [{ path: '/home/me/a.go', line: 7 }] }, meta: {}, output: '\u001B[31mFAIL\u001B[0m\n' },
      {
        kind: 'tool',
        key: 'd',
        call: { toolCallId: 'd', title: 'Edit a.go', content: [{ type: 'diff', path: 'a.go', oldText: 'one\n', newText: 'two\n' }] },
        meta: {},
        output: '',
      },
      { kind: 'message', key: 'm', messageId: 'm', text: 'It **fails**.\n\n- `x`', blocks: [] },
      { kind: 'plan', key: 'plan', entries: [{ content: 'mend', priority: 'high', status: 'completed' }] },
    ],
  };
  assert.deepEqual(
    searchedTexts(turn, { changes: new Map(), folders }).filter((text) => text !== ''),
    ['a.go', 'Look\nat **this**', 'Looking', 'It may fail.', 'go test', 'FAIL', 'a.go:7', 'Edit a.go', 'a.go', 'one\ntwo', 'It fails.', 'x', 'mend'],
  );
});

test('the diff of a change set takes the place of that of the call', () => {
  const turn: Turn = {
    id: 't',
    state: 'ended',
    made: 1,
    items: [{ kind: 'tool', key: 'd', call: { toolCallId: 'd', content: [{ type: 'diff', path: 'a.go', newText: 'two\n' }] }, meta: { changeSetId: 'set' }, output: '' }],
  };
  const set = { changeSetId: 'set', sessionId: 's', title: '', state: 'pending' as const, files: [{ uri: 'file:///home/me/b.go', op: 'modify' as const, openInEditor: false, diff: '@@ -1 +1 @@\n-a\n+b\n', hunks: [] }] };
  assert.deepEqual(searchedTexts(turn, { changes: new Map([['set', set]]), folders }).filter(Boolean), ['b.go', 'a\nb']);
});
