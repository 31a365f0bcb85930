import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ContentBlock, SessionUpdate, Update, Usage } from '../../src/shared/wire';
import { emptyConversation, runningTurn, type Conversation, type Item } from './conversation';
import { reduce } from './reduce';

const text = (text: string): ContentBlock => ({ type: 'text', text });
const usage: Usage = { inputTokens: 1, outputTokens: 2, cachedTokens: 0, thoughtTokens: 0, toolTokens: 0, totalTokens: 3, contextLimit: 100 };

/** Numbers updates of one turn from one on. */
function numbered(updates: Update[], turnId = 't', from = 1): SessionUpdate[] {
  return updates.map((update, index) => ({ sessionId: 's', seq: from + index, turnId, update }));
}

/** The items of all turns as short texts. */
function shown(conversation: Conversation): string[] {
  return conversation.turns.flatMap(({ items }) => items.map(brief));
}

function brief(item: Item): string {
  switch (item.kind) {
    case 'prompt':
      return `prompt ${item.blocks.map((block) => (block.type === 'text' ? block.text : block.type)).join('+')}`;
    case 'message':
    case 'thought':
      return `${item.kind} ${item.text}`;
    case 'tool':
      return `tool ${item.call.title} ${item.call.status} ${item.output}`;
    case 'plan':
      return `plan ${item.entries.map(({ content }) => content).join('+')}`;
    case 'notice':
      return `notice ${item.title}`;
    case 'compaction':
      return `compaction ${item.status}`;
  }
}

const say = (words: string, messageId = 'm'): Update => ({ sessionUpdate: 'agent_message_chunk', content: text(words), messageId });
const think = (words: string, messageId = 'm'): Update => ({ sessionUpdate: 'agent_thought_chunk', content: text(words), messageId });
const asked: Update = { sessionUpdate: 'user_message_chunk', content: text('do it'), messageId: 'p' };
const notice = (title: string, code: string): Update => ({ sessionUpdate: 'notice', severity: 'warning', title, description: '', _meta: { emendo: { code } } });
const ended: Update = { sessionUpdate: '_emendo/turn_ended', stopReason: 'end_turn', usage };
const call: Update = { sessionUpdate: 'tool_call', toolCallId: 'c', title: 'run', status: 'pending' };
const callUpdate = (fields: object): Update => ({ sessionUpdate: 'tool_call_update', toolCallId: 'c', ...fields });

const cases: { name: string; updates: Update[]; shown: string[] }[] = [
  { name: 'chunks of one message are one text', updates: [asked, say('a'), say('b')], shown: ['prompt do it', 'message ab'] },
  { name: 'a prompt has its blocks', updates: [asked, { sessionUpdate: 'user_message_chunk', content: { type: 'image', data: '', mimeType: 'image/png' }, messageId: 'p' }], shown: ['prompt do it+image'] },
  { name: 'thoughts and texts alternate', updates: [think('a'), say('b'), think('c')], shown: ['thought a', 'message b', 'thought c'] },
  { name: 'a notice does not split a text', updates: [say('```\na'), notice('careful', 'citation'), say('\n```')], shown: ['message ```\na\n```', 'notice careful'] },
  { name: 'a call does', updates: [say('a'), call, say('b')], shown: ['message a', 'tool run pending ', 'message b'] },
  { name: 'another message is another text', updates: [say('a'), say('b', 'n')], shown: ['message a', 'message b'] },
  { name: 'a retracted message goes, its thoughts too', updates: [asked, think('x'), say('y'), { sessionUpdate: '_emendo/retract', messageId: 'm' }, say('z', 'n')], shown: ['prompt do it', 'message z'] },
  {
    name: 'output is added up, then replaced by all of it',
    updates: [
      call,
      callUpdate({ status: 'in_progress', _meta: { emendo: { outputDelta: 'one\n' } } }),
      callUpdate({ _meta: { emendo: { outputDelta: 'two\n' } } }),
      callUpdate({ status: 'completed', content: [{ type: 'content', content: text('```\none\ntwo\nthree\n```') }] }),
    ],
    shown: ['tool run completed one\ntwo\nthree\n'],
  },
  { name: 'a call keeps the fields that an update leaves out', updates: [call, callUpdate({ status: 'failed' })], shown: ['tool run failed '] },
  {
    name: 'a plan stays in its place',
    updates: [{ sessionUpdate: 'plan', entries: [] }, say('a'), { sessionUpdate: 'plan', entries: [{ content: 'x', priority: 'high', status: 'pending' }] }],
    shown: ['plan x', 'message a'],
  },
  { name: 'the last of several attempts is shown', updates: [notice('1 of 3', 'retry'), notice('2 of 3', 'retry'), notice('model', 'model')], shown: ['notice 2 of 3', 'notice model'] },
  {
    name: 'a compaction ends where it began',
    updates: [{ sessionUpdate: 'compaction_update', status: 'in_progress' }, { sessionUpdate: 'compaction_update', status: 'completed' }],
    shown: ['compaction completed'],
  },
];

for (const { name, updates, shown: expected } of cases) {
  test(name, () => {
    assert.deepEqual(shown(reduce(emptyConversation, numbered(updates))), expected);
    const oneByOne = numbered(updates).reduce((conversation, update) => reduce(conversation, [update]), emptyConversation);
    assert.deepEqual(shown(oneByOne), expected);
  });
}

test('updates that come twice count once', () => {
  const updates = numbered([asked, say('a'), say('b')]);
  const once = reduce(emptyConversation, updates);
  assert.equal(reduce(once, updates), once);
  assert.deepEqual(shown(reduce(once, updates.slice(1).map((update) => ({ ...update, replay: true })))), ['prompt do it', 'message ab']);
});

test('what does not change is shared', () => {
  const first = reduce(emptyConversation, [...numbered([asked, say('a'), ended]), ...numbered([asked, say('b', 'n')], 'u', 4)]);
  const next = reduce(first, numbered([say('c', 'n')], 'u', 6));
  assert.equal(next.turns[0], first.turns[0]);
  assert.equal(next.turns[1]!.items[0], first.turns[1]!.items[0]);
  assert.notEqual(next.turns[1]!.items[1], first.turns[1]!.items[1]);
  assert.deepEqual(shown(first), ['prompt do it', 'message a', 'prompt do it', 'message b']);
});

test('a turn runs until it ends', () => {
  const running = reduce(emptyConversation, numbered([asked]));
  assert.equal(runningTurn(running)?.id, 't');
  const over = reduce(running, numbered([ended], 't', 2));
  assert.equal(runningTurn(over), undefined);
  assert.equal(over.turns[0]!.end?.stopReason, 'end_turn');
});

test('a replayed turn without an end was interrupted', () => {
  const conversation = reduce(emptyConversation, numbered([asked, say('a')]).map((update) => ({ ...update, replay: true })));
  assert.equal(conversation.turns[0]!.state, 'interrupted');
  assert.equal(reduce(conversation, numbered([say('b')], 't', 3)).turns[0]!.state, 'running');
});

test('a rewind takes the turn and all after it away', () => {
  const plan: Update = { sessionUpdate: 'plan', entries: [{ content: 'x', priority: 'low', status: 'pending' }] };
  const three = reduce(emptyConversation, [...numbered([asked, plan, ended]), ...numbered([asked, { ...plan, entries: [] }], 'u', 4), ...numbered([asked], 'v', 6)]);
  const rewound = reduce(three, [{ sessionId: 's', update: { sessionUpdate: '_emendo/rewound', turnId: 'u' } }]);
  assert.deepEqual(rewound.turns.map(({ id }) => id), ['t']);
  assert.deepEqual(rewound.plan.map(({ content }) => content), ['x']);
});

test('the queue, the mode and the usage are the latest', () => {
  const item = { turnId: 'q', messageId: 'q', how: 'queue' as const, prompt: [text('next')] };
  const conversation = reduce(emptyConversation, [
    { sessionId: 's', update: { sessionUpdate: '_emendo/queue', items: [item], paused: true } },
    ...numbered([{ sessionUpdate: 'current_mode_update', currentModeId: 'plan' }, { sessionUpdate: 'usage_update', used: 5, size: 10, _meta: { emendo: usage } }]),
  ]);
  const { queue, queuePaused, mode, context, usage: used } = conversation;
  assert.deepEqual({ queue, queuePaused, mode, context, used }, { queue: [item], queuePaused: true, mode: 'plan', context: { used: 5, size: 10 }, used: usage });
});

test('20,000 chunks are one text', () => {
  let conversation = reduce(emptyConversation, numbered([asked]));
  for (let from = 2; from <= 20_001; from += 50) {
    conversation = reduce(conversation, numbered(Array.from({ length: 50 }, () => say('x')), 't', from));
  }
  assert.equal(shown(conversation)[1]!.length, 'message '.length + 20_000);
});
