import assert from 'node:assert/strict';
import { test } from 'node:test';
import { build, type Built, type Replacement } from './build';

const cases: { name: string; text: string; replacements: Replacement[]; want: Built }[] = [
  {
    name: 'replaces, inserts and deletes',
    text: 'a\nb\nc\nd\n',
    replacements: [
      { id: 'r', row: 0, from: 'a\n', to: 'A\nA2\n' },
      { id: 'i', row: 2, from: '', to: 'new\n' },
      { id: 'd', row: 3, from: 'd\n', to: '' },
    ],
    want: {
      text: 'A\nA2\nb\nnew\nc\n',
      regions: [{ id: 'r', start: 0, end: 2 }, { id: 'i', start: 3, end: 4 }, { id: 'd', start: 5, end: 5 }],
      misplaced: [],
    },
  },
  {
    name: 'a last line without a line end',
    text: 'a\nb',
    replacements: [{ id: 'r', row: 1, from: 'b', to: 'b\nc' }],
    want: { text: 'a\nb\nc', regions: [{ id: 'r', start: 1, end: 3 }], misplaced: [] },
  },
  {
    name: 'an insertion after a line without a line end',
    text: 'a',
    replacements: [{ id: 'r', row: 1, from: '', to: 'b\n' }],
    want: { text: 'a\nb\n', regions: [{ id: 'r', start: 1, end: 2 }], misplaced: [] },
  },
  {
    name: 'CRLF',
    text: 'a\r\nb\r\n',
    replacements: [{ id: 'r', row: 1, from: 'b\n', to: 'B\r\n' }],
    want: { text: 'a\r\nB\r\n', regions: [{ id: 'r', start: 1, end: 2 }], misplaced: [] },
  },
  {
    name: 'an empty file',
    text: '',
    replacements: [{ id: 'r', row: 0, from: '', to: 'a\n' }],
    want: { text: 'a\n', regions: [{ id: 'r', start: 0, end: 1 }], misplaced: [] },
  },
  {
    name: 'a text that is not there',
    text: 'a\n',
    replacements: [{ id: 'x', row: 0, from: 'b\n', to: 'c\n' }, { id: 'y', row: 7, from: 'b\n', to: 'c\n' }],
    want: { text: 'a\n', regions: [], misplaced: ['x', 'y'] },
  },
  {
    name: 'the later of two that overlap',
    text: 'a\nb\nc\nd\n',
    replacements: [
      { id: 'first', row: 0, from: 'a\nb\n', to: 'x\n' },
      { id: 'other', row: 3, from: 'd\n', to: 'D\n' },
      { id: 'later', row: 1, from: 'b\nc\n', to: 'y\n' },
    ],
    want: { text: 'a\ny\nD\n', regions: [{ id: 'later', start: 1, end: 2 }, { id: 'other', start: 2, end: 3 }], misplaced: [] },
  },
];

for (const { name, text, replacements, want } of cases) {
  test(name, () => assert.deepEqual(build(text, replacements), want));
}
