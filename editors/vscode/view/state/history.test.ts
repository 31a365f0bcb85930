import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SessionUpdate } from '../../src/shared/wire';
import { History } from './history';

function update(seq: number, replay: boolean): SessionUpdate {
  return { sessionId: 's', seq, replay, update: { sessionUpdate: 'agent_message_chunk', messageId: 'm', content: { type: 'text', text: '' } } };
}

function collected(...updates: SessionUpdate[]): (number | undefined)[] {
  const history = new History('s');
  updates.forEach((each) => history.take(each));
  return history.updates().map(({ seq }) => seq);
}

const replayed = (...seqs: number[]): SessionUpdate[] => seqs.map((seq) => update(seq, true));

test('what comes live stands behind the history', () => assert.deepEqual(collected(update(4, false), ...replayed(1, 2, 3)), [1, 2, 3, 4]));

test('the end of an earlier replay does not count', () => assert.deepEqual(collected(...replayed(6, 7), ...replayed(1, 3, 7)), [1, 3, 7]));

test('a whole replay before ours does not count', () => assert.deepEqual(collected(...replayed(1), ...replayed(1, 2)), [1, 2]));
