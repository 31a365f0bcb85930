import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onceOptions, sentence } from './notices';
import type { Question } from './shared/view';

const asked: Question = {
  id: 'ask-1',
  code: 'command',
  title: { text: 'Run this command?' },
  brief: { text: 'Run this command? go test ./...' },
  whole: true,
  parts: [],
  lines: [
    { id: 'reason', text: { text: 'It writes\nfiles.' } },
    { id: 'rule', label: { text: 'Rule' }, text: { text: 'built in: writes' } },
  ],
  options: [
    { id: 'allow_once', title: { text: 'Allow once' }, look: 'allow_once' },
    { id: 'allow_always', title: { text: 'Always allow go test in this session' }, look: 'allow_always' },
    { id: 'reject_once', title: { text: 'Deny' }, look: 'reject_once' },
    { id: 'rejectWhy', title: { text: 'No, and say why…' }, look: 'reject_why' },
    { id: 'reject_stop', title: { text: 'Reject this and the rest, and stop' }, look: 'reject_once' },
  ],
};
const { whole: _, ...long } = asked;

test('what one line says in full can be answered once from it', () => {
  assert.deepEqual(onceOptions(asked).map(({ id }) => id), ['allow_once', 'reject_once']);
});

test('a text with buttons is answered from its notice, unless there is more to read', () => {
  const options = [
    { id: 'option-1', title: { text: 'Not Now' }, look: 'cancel' },
    { id: 'option-2', title: { text: 'Show it' }, look: 'pick' },
  ];
  const pick: Question = { ...long, code: 'pick', options, lines: [] };
  assert.deepEqual(onceOptions(pick).map(({ id }) => id), ['option-2']);
  assert.deepEqual(onceOptions({ ...pick, parts: [{ kind: 'text', text: 'more' }] }), []);
});

test('what one line does not say in full is answered in the view', () => {
  assert.deepEqual(onceOptions(long), []);
});

test('a question in one line says for whom and why it is asked, and last about what', () => {
  assert.equal(sentence(asked), 'It writes files. Run this command? go test ./...');
  assert.equal(sentence({ ...long, from: { text: 'Emendo edits fee.py' } }), 'Emendo edits fee.py. Run this command? go test ./...');
});
