import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readable } from './render';

const cases: [string, string, string[]][] = [
  ['a paragraph without its marks', 'The **scanner** *reads* `a.go`, see [why](https://example.org "title").', ['The scanner reads a.go, see why.']],
  ['lines of a paragraph', 'one\ntwo', ['one\ntwo']],
  ['a heading, items and cells', '# Head\n\n- one\n  - two\n- [x] done\n\n| a | b |\n| - | - |\n| 1 | 2 |', ['Head', 'one', 'two', '☑ done', 'a', 'b', '1', '2']],
  ['code', '```go\nx := 1\n```\n\n    y\n', ['x := 1\n', 'y\n']],
  ['lines of a cell', '| a |\n| - |\n| 1<br>2<BR/>3 |', ['a', '1\n2\n3']],
  ['a break in code, and other elements', '`<br>` <b>x</b><broken>', ['<br> <b>x</b><broken>']],
  ['what is escaped', '\\*a\\* &amp; <b>', ['*a* & <b>']],
  ['what reorders', 'a\u202Eb', ['a\\u{202E}b']],
  ['a picture that is not shown', '![the plan](https://example.org/a.png)', ['the plan (https://example.org/a.png)']],
];
for (const [name, text, expected] of cases) {
  test(name, () => assert.deepEqual(readable(text), expected));
}
