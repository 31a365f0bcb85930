import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bounds, choose, chooseOther, problem, start, values, type Entry } from './form';
import type { Question } from '../../src/shared/wire';

function question(part: Partial<Question>): Question {
  return { header: 'H', question: 'Q?', type: 'text', ...part };
}

function written(text: string): Entry {
  return { chosen: [], other: false, text };
}

const colours = [{ label: 'red' }, { label: 'green', description: 'as grass' }, { label: 'blue' }];
const one = question({ type: 'choice', options: colours });
const many = question({ type: 'choice', options: colours, multiSelect: true });

test('one of a choice', () => {
  assert.deepEqual(values(one, choose(one, choose(one, start(one), 'red'), 'blue')), ['blue']);
});

test('several come in the order of the options', () => {
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

test('choosing an option keeps the text that was typed, and does not send it', () => {
  const entry = choose(one, { ...chooseOther(one, start(one), true), text: 'pink' }, 'red');
  assert.deepEqual(values(one, entry), ['red']);
  assert.equal(entry.text, 'pink');
});

test('defaults', () => {
  assert.deepEqual(values(one, start({ ...one, default: 'green' })), ['green']);
  assert.deepEqual(values(one, start({ ...one, default: 'pink' })), ['pink']);
  const yesno = question({ type: 'yesno', default: 'no' });
  assert.deepEqual(values(yesno, start(yesno)), ['no']);
  const number = question({ type: 'number', default: '8080' });
  assert.deepEqual(values(number, start(number)), ['8080']);
});

test('a text keeps its spaces, an empty one is no answer', () => {
  assert.deepEqual(values(question({}), written('  two\n lines\n')), ['  two\n lines\n']);
  assert.deepEqual(values(question({}), written(' \n')), []);
  assert.deepEqual(values(question({ type: 'integer' }), written(' 7 ')), ['7']);
});

const checks: [Partial<Question>, right: string[], wrong: string[]][] = [
  [{ type: 'number' }, ['1', '-3.5', '.5', '1e3'], ['one', '1,5', '1 2', '0x10', 'Infinity', '1e999', '.']],
  [{ type: 'integer' }, ['12', '-3', '+4'], ['1.5', '1e3', '9007199254740993', 'x']],
  [{ type: 'url' }, ['https://example.org/a?b', 'http://localhost:8080'], ['example.org', 'javascript:alert(1)', 'ftp://a', 'https://', 'https://a b']],
  [{ format: 'email' }, ['name@example.org'], ['name', 'name@', 'a b@c.d', 'name@host']],
  [{ format: 'uri' }, ['urn:a:b', 'https://example.org'], ['nothing']],
  [{ format: 'date' }, ['2026-01-31', '2028-02-29'], ['31.1.2026', '2026-02-30', '2026-13-01']],
  [{ format: 'date-time' }, ['2026-01-31T14:30:00Z', '2026-01-31T14:30:00.5+02:00'], ['2026-01-31', '2026-01-31T14:30:00', '2026-02-30T10:00:00Z']],
  [{ format: 'phone' }, ['anything'], []],
];

for (const [part, right, wrong] of checks) {
  const asked = question(part);
  const name = part.format ?? part.type!;
  for (const text of right) {
    test(`${name}: takes ${text}`, () => assert.equal(problem(asked, written(text)), undefined));
  }
  for (const text of wrong) {
    test(`${name}: says what is wrong with ${text}`, () => assert.match(problem(asked, written(text)) ?? '', /^Write /));
  }
}

test('only a required question needs an answer', () => {
  assert.equal(problem(question({}), written('')), undefined);
  assert.equal(problem(question({ required: true }), written(' ')), 'An answer is required.');
  assert.equal(problem(question({ type: 'integer' }), written('')), undefined);
  assert.notEqual(problem(one, chooseOther(one, start(one), true)), undefined);
});

const titled = question({ type: 'choice', options: [{ label: 'Red', value: '#f00' }, { label: 'Green', value: '#0f0' }, { label: 'Blue', value: '#00f' }], multiSelect: true });

test('an option with a value is answered by that, and there is no other answer', () => {
  assert.deepEqual(values(titled, choose(titled, start(titled), '#0f0')), ['#0f0']);
  assert.deepEqual(values(titled, start({ ...titled, default: ['#00f', '#f00', 'pink'] })), ['#f00', '#00f']);
  assert.deepEqual(values(many, start({ ...many, default: ['blue', 'pink'] })), ['blue', 'pink']);
  assert.deepEqual(values(one, start({ ...one, default: ['blue', 'red'] })), ['blue']);
});

const bounded: [Partial<Question>, said: string, right: string[], wrong: string[]][] = [
  [{ type: 'integer', minimum: 1, maximum: 10 }, 'From 1 to 10', ['1', '10'], ['0', '11', '-5']],
  [{ type: 'number', minimum: 0 }, 'At least 0', ['0', '.5'], ['-0.1']],
  [{ type: 'number', maximum: 1.5 }, 'At most 1.5', ['1.5', '-9'], ['1.6']],
  [{ type: 'text', minLength: 2, maxLength: 3 }, '2 to 3 characters', ['ab', '😀😀😀'], ['a', 'abcd']],
  [{ type: 'text', maxLength: 3 }, 'At most 3 characters', ['abc'], ['abcd']],
  [{ type: 'text', minLength: 0 }, '', ['a'], []],
];

for (const [part, said, right, wrong] of bounded) {
  test(`bounds: ${said}`, () => {
    const asked = question(part);
    assert.equal(bounds(asked), said);
    assert.deepEqual(right.map((text) => problem(asked, written(text))), right.map(() => undefined));
    assert.deepEqual(wrong.filter((text) => !problem(asked, written(text))?.startsWith(said)), []);
    assert.equal(problem(asked, written('')), undefined, 'only a required question needs an answer');
  });
}

test('bounds of how many are chosen', () => {
  const asked = { ...titled, minItems: 2, maxItems: 2 };
  assert.equal(bounds(asked), 'Choose 2 to 2');
  assert.equal(problem(asked, { chosen: ['#f00'], other: false, text: '' }), 'Choose 2 to 2.');
  assert.equal(problem(asked, { chosen: ['#f00', '#0f0'], other: false, text: '' }), undefined);
  assert.equal(problem({ ...asked, required: true }, start(asked)), 'An answer is required.');
});
