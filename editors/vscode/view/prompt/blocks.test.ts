import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Chip } from '../../src/shared/messages';
import { fromBlocks, toBlocks, withChips } from './blocks';

const selection: Chip = {
  id: 'selection:a',
  kind: 'selection',
  label: 'a.go:1-2',
  block: { type: 'resource_link', uri: 'file:///w/a.go', name: 'a.go', _meta: { range: { start: { line: 0, character: 0 }, end: { line: 2, character: 0 } } } },
};

test('the text comes first and every chip says what it is', () => {
  assert.deepEqual(toBlocks({ text: '/compact all \n', chips: [selection] }), [
    { type: 'text', text: '/compact all' },
    {
      type: 'resource_link',
      uri: 'file:///w/a.go',
      name: 'a.go',
      _meta: { range: { start: { line: 0, character: 0 }, end: { line: 2, character: 0 } }, emendo: { kind: 'selection', label: 'a.go:1-2' } },
    },
  ]);
});

test('an empty box is no prompt, and a chip alone is one', () => {
  assert.deepEqual(toBlocks({ text: ' \n', chips: [] }), []);
  assert.equal(toBlocks({ text: ' ', chips: [selection] }).length, 1);
});

test('blocks come back as text and chips', () => {
  const draft = fromBlocks(toBlocks({ text: 'why?', chips: [selection] }));
  assert.equal(draft.text, 'why?');
  assert.deepEqual(
    draft.chips.map(({ kind, label }) => [kind, label]),
    [['selection', 'a.go:1-2']],
  );
  assert.deepEqual(toBlocks(draft), toBlocks({ text: 'why?', chips: [selection] }));
});

test('blocks of another client become chips by their kind', () => {
  const { text, chips } = fromBlocks([
    { type: 'text', text: 'one' },
    { type: 'text', text: 'two' },
    { type: 'image', data: 'AA==', mimeType: 'image/png' },
    { type: 'resource', resource: { uri: 'file:///w/b.txt', text: 'b' } },
  ]);
  assert.equal(text, 'one\ntwo');
  assert.deepEqual(
    chips.map(({ kind, label }) => [kind, label]),
    [
      ['image', 'image/png'],
      ['file', 'b.txt'],
    ],
  );
});

test('a chip that is there already is not added again', () => {
  const chips = withChips([], [selection, selection]);
  assert.equal(chips.length, 1);
  assert.equal(withChips(chips, [selection]), chips);
});
