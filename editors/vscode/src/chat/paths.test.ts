import assert from 'node:assert/strict';
import { posix, win32 } from 'node:path';
import { test } from 'node:test';
import { candidates, webAddress, type Folder } from './paths';

const none: ReadonlySet<string> = new Set<string>();
const folder = (path: string, name = path): Folder => ({ path, name });

test('a relative path is looked for in each folder', () => {
  assert.deepEqual(candidates('src/a.go', [folder('/one'), folder('/two')], none, posix), ['/one/src/a.go', '/two/src/a.go']);
});

test('the name of a folder leads into it if there are several', () => {
  const [a, b] = [folder('/one/a', 'a'), folder('/two/b', 'b')];
  assert.deepEqual(candidates('b/x.py', [a, b], none, posix), ['/one/a/b/x.py', '/two/b/b/x.py', '/two/b/x.py']);
  assert.deepEqual(candidates('b/x.py', [b], none, posix), ['/two/b/b/x.py']);
  assert.deepEqual(candidates('b/../../secret', [a, b], none, posix), []);
  assert.deepEqual(candidates('b', [a, b], none, posix), ['/one/a/b', '/two/b/b', '/two/b']);
});

test('a path that leads out of the workspace is left out', () => {
  for (const path of ['../secret', 'src/../../secret', '/etc/passwd', '/workspace', 'a\0b']) {
    assert.deepEqual(candidates(path, [folder('/work')], none, posix), [], path);
  }
});

test('a file that the session named is opened wherever it is', () => {
  assert.deepEqual(candidates('/state/plans/x/../a.md', [folder('/work')], new Set(['/state/plans/a.md']), posix), ['/state/plans/a.md']);
});

test('a file whose name begins with dots is inside', () => {
  assert.deepEqual(candidates('..config/a', [folder('/work')], none, posix), ['/work/..config/a']);
});

test('a path on another machine is never opened', () => {
  const named = new Set(['\\\\host\\share\\a', '//host/share/a']);
  for (const path of ['\\\\host\\share\\a', '//host/share/a', '/\\host\\share']) {
    assert.deepEqual(candidates(path, [folder('c:\\work')], named, win32), [], path);
  }
});

test('drives are kept apart', () => {
  assert.deepEqual(candidates('d:\\work\\a', [folder('c:\\work')], none, win32), []);
  assert.deepEqual(candidates('c:\\work\\a', [folder('c:\\work')], none, win32), ['c:\\work\\a']);
});

test('only web addresses are opened in the browser', () => {
  assert.equal(webAddress('https://example.org/a?b#c'), 'https://example.org/a?b#c');
  for (const href of ['command:emendo.accept', 'javascript:alert(1)', 'file:///etc/passwd', 'vscode://x/y', 'https://user:word@example.org', 'a b']) {
    assert.equal(webAddress(href), undefined, href);
  }
});
