import assert from 'node:assert/strict';
import { test } from 'node:test';
import { History } from './history';

test('up goes back to the oldest prompt and no further', () => {
  const history = new History(['one', 'two']);
  assert.deepEqual([history.previous(''), history.previous('two'), history.previous('one')], ['two', 'one', undefined]);
  assert.ok(history.browsing);
});

test('down comes back to what was being written', () => {
  const history = new History(['one', 'two']);
  history.previous('half a pro');
  history.previous('two');
  assert.deepEqual([history.next('one'), history.next('two'), history.next('half a pro')], ['two', 'half a pro', undefined]);
  assert.ok(!history.browsing);
});

test('a prompt that was changed stays changed while moving', () => {
  const history = new History(['one', 'two']);
  history.previous('');
  history.previous('two, changed');
  assert.equal(history.next('one'), 'two, changed');
});

test('what is sent becomes the newest, once', () => {
  const history = new History(['one']);
  history.previous('');
  history.add('two');
  history.add('two');
  history.add('  ');
  assert.deepEqual([history.previous(''), history.previous('two'), history.previous('one')], ['two', 'one', undefined]);
});

test('an empty history has nothing to bring back', () => {
  const history = new History([]);
  assert.deepEqual([history.previous('text'), history.next('text')], [undefined, undefined]);
});

test('what was written is apart from what was brought back', () => {
  const history = new History(['one', 'two']);
  assert.equal(history.written('half'), 'half');
  history.previous('half');
  assert.equal(history.written('two'), 'half');
  history.previous('two, changed');
  assert.equal(history.written('one'), 'half\ntwo, changed');
  history.reset();
  assert.equal(history.written('another'), 'another');
});
