import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emptyConversation, type Item, type Turn } from '../state/conversation';
import { cameToNothing, conversationMarkdown, failureOf, lacksAnswer } from './text';

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

const usage = { inputTokens: 1, outputTokens: 0, cachedTokens: 0, thoughtTokens: 0, toolTokens: 0, totalTokens: 1, contextLimit: 10 };
const prompt: Item = { kind: 'prompt', key: 'p', messageId: 'p', blocks: [{ type: 'text', text: 'Look' }] };
const read: Item = { kind: 'tool', key: 'c', call: { toolCallId: 'c', kind: 'read', status: 'completed' }, meta: {}, output: '' };
const edit: Item = { ...read, call: { ...read.call, kind: 'edit' } };
const message: Item = { kind: 'message', key: 'm', messageId: 'm', text: 'It is there.', blocks: [] };
const silent: [string, readonly Item[], Turn['end'], boolean][] = [
  ['a call with nothing after it', [prompt, message, read], { stopReason: 'end_turn', usage }, true],
  ['one with an empty message after it', [prompt, read, { ...message, text: '\n' }], { stopReason: 'end_turn', usage }, true],
  ['one that is answered', [prompt, read, message], { stopReason: 'end_turn', usage }, false],
  ['an edit, which says what it did', [prompt, edit], { stopReason: 'end_turn', usage }, false],
  ['a hook that ended the turn', [prompt, { ...read, meta: { errorType: 'stop_execution' } }], { stopReason: 'end_turn', usage }, false],
  ['the user stopped it', [prompt, read], { stopReason: 'cancelled', usage }, false],
  ['no calls', [prompt], { stopReason: 'end_turn', usage }, false],
  ['it still runs', [prompt, read], undefined, false],
];
for (const [name, items, end, want] of silent) {
  test(`a turn lacks an answer: ${name}`, () => assert.equal(lacksAnswer({ items, ...(end && { end }) }), want));
}

test('a turn that came to nothing can be replaced', () => {
  const notice: Item = { kind: 'notice', key: 'n', severity: 'error', title: 'no answer', description: '', code: 'error', data: {} };
  const answer: Item = { kind: 'message', key: 'm', messageId: 'm', text: 'Half of', blocks: [] };
  assert.equal(cameToNothing({ items: [prompt, notice] }), true);
  assert.equal(cameToNothing({ items: [prompt, answer, notice] }), false);
});

test('the last error of a turn that failed is why it failed, and that of another is not', () => {
  const notice = (key: string, severity: 'warning' | 'error'): Item => ({ kind: 'notice', key, severity, title: key, description: '', code: 'error', data: {} });
  const items = [prompt, notice('not done', 'error'), notice('no answer', 'error'), notice('slow', 'warning')];
  const end = (stopReason: '_emendo/error' | 'end_turn') => ({ stopReason, usage });
  assert.equal(failureOf({ items, state: 'ended', end: end('_emendo/error') })?.title, 'no answer');
  assert.equal(failureOf({ items, state: 'ended', error: { message: 'no answer' } })?.title, 'no answer');
  assert.equal(failureOf({ items, state: 'ended', end: end('end_turn') }), undefined);
  assert.equal(failureOf({ items: [prompt], state: 'ended', end: end('_emendo/error') }), undefined);
});
