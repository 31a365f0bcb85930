import assert from 'node:assert/strict';
import { test } from 'node:test';
import { choose, chooseOther, start, values, type Entry } from './entries';
import type { Field } from '../../src/shared/view';

function field(part: Partial<Field>): Field {
  return { id: 'q1', label: { text: 'Q?' }, type: 'text', ...part };
}

function written(text: string): Entry {
  return { chosen: [], other: false, text };
}

const choices = ['red', 'green', 'blue'].map((value) => ({ value, title: { text: value } }));
const one = field({ type: 'choice', choices, other: true });
const many = field({ ...one, many: true });

test('one of a choice', () => {
  assert.deepEqual(values(one, choose(one, choose(one, start(one), 'red'), 'blue')), ['blue']);
});

test('several come in the order of the choices', () => {
  const entry = choose(many, choose(many, start(many), 'blue'), 'red');
  assert.deepEqual(values(many, entry), ['red', 'blue']);
  assert.deepEqual(values(many, choose(many, entry, 'blue')), ['red']);
});

test('a text of one’s own replaces a choice, and adds to several', () => {
  const own = { ...chooseOther(one, choose(one, start(one), 'red'), true), text: ' pink ' };
  assert.deepEqual(values(one, own), ['pink']);
  const added = { ...chooseOther(many, choose(many, start(many), 'red'), true), text: 'pink' };
  assert.deepEqual(values(many, added), ['red', 'pink']);
});

test('a text of one’s own that is not written is sent as empty, for the server to say so', () => {
  assert.deepEqual(values(one, chooseOther(one, start(one), true)), ['']);
});

test('choosing keeps the text that was typed, and does not send it', () => {
  const entry = choose(one, { ...chooseOther(one, start(one), true), text: 'pink' }, 'red');
  assert.deepEqual(values(one, entry), ['red']);
  assert.equal(entry.text, 'pink');
});

test('what a field begins with', () => {
  assert.deepEqual(values(one, start({ ...one, values: ['green'] })), ['green']);
  assert.deepEqual(values(one, start({ ...one, values: ['pink'] })), ['pink']);
  assert.deepEqual(values(one, start({ ...one, values: ['blue', 'red'] })), ['blue']);
  assert.deepEqual(values(many, start({ ...many, values: ['blue', 'pink'] })), ['blue', 'pink']);
  const { other: _, ...closed } = many;
  assert.deepEqual(values(closed, start({ ...closed, values: ['blue', 'red', 'pink'] })), ['red', 'blue']);
  const number = field({ type: 'number', values: ['8080'] });
  assert.deepEqual(values(number, start(number)), ['8080']);
});

test('a text keeps its spaces, an empty one is no answer', () => {
  assert.deepEqual(values(field({}), written('  two\n lines\n')), ['  two\n lines\n']);
  assert.deepEqual(values(field({}), written(' \n')), []);
});
