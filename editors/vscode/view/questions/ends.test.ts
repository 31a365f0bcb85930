import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ends } from './ends';

test('a text that can be seen at once is whole', () => {
  assert.equal(ends(''), undefined);
  assert.equal(ends('make test\n'), undefined);
  assert.equal(ends('go vet ./...\n'.repeat(12)), undefined);
});

test('the end of a long text is there, of many lines and of one line', () => {
  for (const long of ['echo a\n'.repeat(40), `echo ${'a'.repeat(900)} && `, `echo ${'😀'.repeat(900)}; `]) {
    const text = `first ${long}rm -rf build`;
    const cut = ends(text)!;
    assert.match(cut.head, /^first /);
    assert.match(cut.tail, /rm -rf build$/);
    assert.equal(cut.hidden, [...text].length - [...cut.head].length - [...cut.tail].length);
    assert.ok(cut.hidden > 0 && text.startsWith(cut.head) && text.endsWith(cut.tail));
  }
});
