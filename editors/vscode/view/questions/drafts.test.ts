import assert from 'node:assert/strict';
import { test } from 'node:test';
import { draftOf, leftOver, typed, withDraft, type Draft } from './drafts';
import type { Question } from '../../src/shared/view';

const asked: Question = { id: 'ask-1', sessionId: 's1', code: 'form', title: { text: 'T' }, brief: { text: 'Q?' }, parts: [], lines: [], options: [] };

function draft(text: string, sessionId = 's1'): Draft {
  return { sessionId, asked: 'Q?', entries: { q1: { chosen: [], other: false, text } } };
}

test('a draft knows its session, and whether every view shows its question', () => {
  const { entries } = draft('8080');
  const { sessionId: _, ...ofNone } = asked;
  assert.deepEqual(draftOf(asked, entries), draft('8080'));
  assert.deepEqual(draftOf({ ...asked, from: { text: 'Emendo edits a' } }, entries), { ...draft('8080'), aside: true });
  assert.deepEqual(draftOf(ofNone, entries), { aside: true, asked: 'Q?', entries });
});

test('what was typed', () => {
  assert.equal(typed({ ...draft('8080'), entries: { q1: { chosen: [], other: false, text: 'use make' }, q2: { chosen: ['a'], other: true, text: '8080' } } }), 'use make\n\n8080');
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
