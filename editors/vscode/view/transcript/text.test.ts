import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emptyConversation, type Turn } from '../state/conversation';
import { conversationMarkdown } from './text';

test('a conversation as Markdown', () => {
  const turn: Turn = {
    id: 't',
    state: 'ended',
    made: 5,
    items: [
      { kind: 'prompt', key: 'p', messageId: 'p', blocks: [{ type: 'text', text: 'Look\n\nat this' }, { type: 'resource_link', uri: 'file:///a', name: 'a.go' }] },
      { kind: 'thought', key: 'h', messageId: 'm', subject: 'Looking', text: 'hm' },
      { kind: 'tool', key: 'c', call: { toolCallId: 'c', title: 'go test', status: 'failed' }, meta: {}, output: '```\n' },
      { kind: 'message', key: 'm', messageId: 'm', text: 'It **fails**.\n', blocks: [] },
      { kind: 'plan', key: 'plan', entries: [{ content: 'mend', priority: 'high', status: 'completed' }] },
    ],
  };
  assert.equal(
    conversationMarkdown({ ...emptyConversation, turns: [turn, { ...turn, items: turn.items.slice(3, 4) }] }),
    '> Look\n>\n> at this\n> @a.go\n\n**go test** (failed)\n\n````\n```\n````\n\nIt **fails**.\n\n- [x] mend\n\n---\n\nIt **fails**.\n',
  );
});
