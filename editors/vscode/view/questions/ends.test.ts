import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ends } from './ends';

const view = (height: number) => ({ height, width: 300 });

test('a text that can be seen at once is whole', () => {
  assert.equal(ends('', view(700)), undefined);
  assert.equal(ends('make test\n', view(320)), undefined);
  assert.equal(ends('go vet ./...\n'.repeat(12), view(700)), undefined);
});

test('the end of a long text is there, of many lines and of one line', () => {
  for (const long of ['echo a\n'.repeat(40), `echo ${'a'.repeat(900)} && `, `echo ${'😀'.repeat(900)}; `]) {
    const text = `first ${long}rm -rf build`;
    for (const height of [320, 500, 700]) {
      const cut = ends(text, view(height))!;
      assert.match(cut.head, height < 450 ? /^$/ : /^first /);
      assert.match(cut.tail, /rm -rf build$/);
      assert.equal(cut.hidden, [...text].length - [...cut.head].length - [...cut.tail].length);
      assert.ok(cut.hidden > 0 && text.startsWith(cut.head) && text.endsWith(cut.tail));
    }
  }
});
