import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setStrings } from '../strings';
import { shortText, text } from './text';

test('a text is translated by its code', () => {
  setStrings('de', { 'call.children': 'ein Aufruf|{n} Aufrufe', 'call.time': 'nach {ms:ms}', 'call.title': '{title}' });
  assert.equal(text({ text: '1 call', code: 'call.children', args: { n: 1 } }), 'ein Aufruf');
  assert.equal(text({ text: '1200 calls', code: 'call.children', args: { n: 1200 } }), '1.200 Aufrufe');
  assert.equal(text({ text: '12 s', code: 'call.time', args: { ms: 12_000 } }), 'nach 12 s');
  assert.equal(text({ text: 'a', code: 'call.title', args: { title: '{n}' } }), '{n}');
  assert.equal(text({ text: 'Done', code: 'turn.done' }), 'Done');
  assert.equal(text({ text: 'As it is' }), 'As it is');
  assert.equal(shortText({ text: 'src/a.go', short: 'a.go' }), 'a.go');
  setStrings('en', {});
});
