import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shortLabel } from './paths';

test('shortLabel', () => {
  assert.equal(shortLabel('src/x.py', false), 'x.py');
  assert.equal(shortLabel('b/x.py:3-4', true), 'b/x.py:3-4');
  assert.equal(shortLabel('b/src/deep/x.py', true), 'b/…/x.py');
  assert.equal(shortLabel('/elsewhere/x.py', true), 'x.py');
  assert.equal(shortLabel('Untitled-1', true), 'Untitled-1');
});
