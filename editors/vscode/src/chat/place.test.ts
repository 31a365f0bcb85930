import assert from 'node:assert/strict';
import { test } from 'node:test';
import { place } from './place';

const file = `package main

func one() {
	print(1)
}

type t struct{}

	func (t) two() {
		print(2)
	}
`;

const cases = [
  {
    name: 'a function takes the place of the old one',
    block: 'func one() {\n\tprint("one")\n}',
    want: { start: 2, end: 5, text: 'func one() {\n\tprint("one")\n}\n' },
  },
  {
    name: 'a block that is indented less gets the indent of the file',
    block: '\nfunc (t) two() {\n\n\tprint("two")\n}\n',
    want: { start: 8, end: 11, text: '\tfunc (t) two() {\n\n\t\tprint("two")\n\t}\n' },
  },
  {
    name: 'a block that is found nowhere goes before the cursor',
    block: 'func three() {}',
    want: { start: 6, end: 6, text: 'func three() {}\n' },
  },
  {
    name: 'a block whose end is not found goes before the cursor',
    block: 'func one() {\n\treturn 1\n} // one',
    want: { start: 6, end: 6, text: 'func one() {\n\treturn 1\n} // one\n' },
  },
  {
    name: 'a block that begins and ends as the file does is the whole file',
    block: file.replace('print(1)', 'print(3)'),
    want: { start: 0, end: 12, text: file.replace('print(1)', 'print(3)') },
  },
  { name: 'an empty block changes nothing', block: ' \n', want: { start: 6, end: 6, text: '' } },
];

for (const { name, block, want } of cases) {
  test(name, () => assert.deepEqual(place(file, block, 6), want));
}

test('a first line that the file has twice does not say where', () => {
  assert.deepEqual(place('x {\n}\nx {\n}\nend\n', 'x {\n1\n}', 1), { start: 1, end: 1, text: 'x {\n1\n}\n' });
});

test('a block that ends indented replaces what is indented', () => {
  const file = 'def one():\n    x = 1\n\n    return x\n\n\ndef two():\n    pass\n';
  assert.deepEqual(place(file, 'def one():\n    return 2\n', 7), { start: 0, end: 4, text: 'def one():\n    return 2\n' });
});

test('an empty file becomes the block', () => {
  assert.deepEqual(place('\n', 'a\n', 0), { start: 0, end: 2, text: 'a\n' });
});
