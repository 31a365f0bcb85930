import assert from 'node:assert/strict';
import { test } from 'node:test';
import { finished } from './unfinished';

const cases: [string, string][] = [
  ['plain text', 'plain text'],
  ['a **bold', 'a **bold**'],
  ['a **', 'a '],
  ['a *word', 'a *word*'],
  ['2 * 3', '2 * 3'],
  ['* an item', '* an item'],
  ['a `code', 'a `code`'],
  ['a `', 'a '],
  ['`done` and **`x`', '`done` and **`x`**'],
  ['`a**b`', '`a**b`'],
  ['see [the file](src/ma', 'see the file'],
  ['![a picture', 'a picture'],
  ['Some:\n-', 'Some:'],
  ['Some:\n--', 'Some:'],
  ['| a | b', '| a | b |\n| --- | --- |'],
  ['| a | b |\n|--', '| a | b |\n| --- | --- |'],
  ['| a |\n| - |\n| 1', '| a |\n| - |\n| 1'],
  ['- item\n\n  ```go\n  a **b', '- item\n\n  ```go\n  a **b'],
];

for (const [block, shown] of cases) {
  test(JSON.stringify(block), () => assert.equal(finished(block), shown));
}

const items = '- an item\n'.repeat(1000);
const line = 'word '.repeat(40_000);
for (const [name, block, shown] of [
  ['in the last item of a long list', `${items}- a **bold`, `${items}- a **bold**`],
  ['in a paragraph of one long line', `${line}**bold`, `${line}**bold`],
  ['after a long line', `${line}\n-`, line],
] as const) {
  test(name, () => {
    const began = performance.now();
    assert.equal(finished(block), shown);
    assert.ok(performance.now() - began < 100, 'it is looked at while the text grows, so it may not take long');
  });
}
