import assert from 'node:assert/strict';
import { test } from 'node:test';
import { webAddress } from './address';

test('only web addresses are opened in the browser', () => {
  assert.equal(webAddress('https://example.org/a?b#c'), 'https://example.org/a?b#c');
  for (const href of ['command:emendo.accept', 'javascript:alert(1)', 'file:///etc/passwd', 'vscode://x/y', 'https://user:word@example.org', 'a b']) {
    assert.equal(webAddress(href), undefined, href);
  }
});
