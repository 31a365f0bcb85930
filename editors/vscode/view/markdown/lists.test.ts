import assert from 'node:assert/strict';
import { test } from 'node:test';
import { goOn, splitList } from './lists';
import { parse, render, type Env } from './render';

const env: Env = { codes: [] };

const cases = [
  { name: 'a list of bullets', text: '- a\n- b\n- c', head: ['a', 'b'], rest: '- c', next: undefined },
  { name: 'a numbered list', text: '3. a\n4. b\n5. c', head: ['a', 'b'], rest: '5. c', next: 5 },
  { name: 'a list whose items all have one number', text: '1. a\n1. b\n1. c', head: ['a', 'b'], rest: '1. c', next: 3 },
  { name: 'items with lists of their own', text: '- a\n  - x\n  - y\n- b\n  - z', head: ['a', 'x', 'y'], rest: '- b\n  - z', next: undefined },
];
for (const { name, text, head, rest, next } of cases) {
  test(`before its last item is split ${name}`, () => {
    const split = splitList(parse(text, env)[0]!, text)!;
    assert.deepEqual([...render([split.head], env).matchAll(/<li>(?:<p>)?(\w)/g)].map(([, item]) => item), head);
    assert.equal(text.slice(split.start), rest);
    assert.equal(split.next, next);
  });
}

test('the rest of a list counts on', () => {
  const [block] = parse('1. c', env);
  goOn(block!.tokens, 3);
  assert.match(render([block!], env), /<ol start="3">/);
});

for (const text of ['- a', 'a\n\nb', '> - a\n> - b', '```\n- a\n- b\n```']) {
  test(`nothing is split in ${JSON.stringify(text)}`, () => assert.equal(splitList(parse(text, env)[0]!, text), undefined));
}
