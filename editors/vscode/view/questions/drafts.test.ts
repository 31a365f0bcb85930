import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keyOf, leftOver, typed, withDraft, type Draft } from './drafts';
import type { AskedQuestion } from '../../src/shared/messages';

function form(number: number, ...texts: string[]): AskedQuestion {
  return {
    question: number,
    kind: 'elicit',
    request: { sessionId: 's1', toolCallId: 'c1', questions: texts.map((question) => ({ header: '', question, type: 'text' as const })) },
  };
}

function call(reason: string): AskedQuestion {
  return {
    question: 1,
    kind: 'permission',
    request: { sessionId: 's1', toolCall: { toolCallId: 'c1', _meta: { emendo: { reason } } }, options: [] },
  };
}

function draft(text: string, sessionId = 's1'): Draft {
  return { sessionId, asked: 'Q?', entries: [{ chosen: [], other: false, text }], feedback: '' };
}

test('a question keeps its key when it has another number', () => {
  assert.equal(keyOf(form(1, 'Which port?')), keyOf(form(7, 'Which port?')));
});

test('another question of the same call has another key', () => {
  assert.notEqual(keyOf(form(1, 'Which port?')), keyOf(form(1, 'Which host?')));
  assert.notEqual(keyOf(call('a rule asks')), keyOf(call('run it again?')));
});

test('what was typed', () => {
  assert.equal(typed({ ...draft('8080'), feedback: 'use make' }), 'use make\n\n8080');
  assert.equal(typed(draft(' \n')), '');
});

test('typed text outlives its question, choices do not', () => {
  const drafts = { a: draft('8080'), b: draft(''), c: draft('open'), d: draft('elsewhere', 's2') };
  assert.deepEqual(leftOver(drafts, 's1', new Set(['c'])), [['a', drafts.a]]);
  assert.deepEqual(leftOver(drafts, undefined, new Set()), []);
  const aside: Draft = { ...draft('for an edit', 'elsewhere'), aside: true };
  assert.deepEqual(leftOver({ aside }, 's1', new Set()), [['aside', aside]]);
});

test('drafts are replaced and removed, and the oldest are forgotten', () => {
  let drafts = withDraft(withDraft({}, 'a', draft('1')), 'b', draft('2'));
  drafts = withDraft(drafts, 'a', draft('3'));
  assert.deepEqual(drafts, { a: draft('3'), b: draft('2') });
  assert.deepEqual(withDraft(drafts, 'a', undefined), { b: draft('2') });
  for (let i = 0; i < 50; i++) {
    drafts = withDraft(drafts, `more ${i}`, draft('x'));
  }
  assert.equal(Object.keys(drafts).length, 50);
  assert.equal(drafts['a'], undefined);
});
