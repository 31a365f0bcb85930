import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pathOf, shortLabel, shortPath } from './paths';

const folders = [{ uri: 'file:///home/me/app%20one', name: 'app one' }];
const two = [...folders, { uri: 'file:///srv/lib/', name: 'lib' }];

test('pathOf', () => {
  assert.equal(pathOf('file:///home/me/a%20b.txt'), '/home/me/a b.txt');
  assert.equal(pathOf('file:///c%3A/x/y.txt'), 'c:/x/y.txt');
  assert.equal(pathOf('untitled:Untitled-1'), 'untitled:Untitled-1');
  assert.equal(pathOf('file:///bad%E0%A4%A'), 'file:///bad%E0%A4%A');
});

const cases: [path: string, in_: typeof folders, want: string][] = [
  ['/home/me/app one/src/a.ts', folders, 'src/a.ts'],
  ['/home/me/app one', folders, './'],
  ['/home/me/app onerous/a', folders, '/home/me/app onerous/a'],
  ['/srv/lib/a.c', two, 'lib/a.c'],
  ['/home/me/app one/a', two, 'app one/a'],
  ['/etc/passwd', two, '/etc/passwd'],
  ['file:///home/me/app%20one/src/a.ts', folders, 'src/a.ts'],
  ['untitled:Untitled-1', folders, 'untitled:Untitled-1'],
  ['/srv/lib/a\nb\u202E', two, 'lib/a\\u{000A}b\\u{202E}'],
];

for (const [path, among, want] of cases) {
  test(`${JSON.stringify(path)} among ${among.length}`, () => assert.equal(shortPath(path, among), want));
}

test('shortLabel', () => {
  assert.equal(shortLabel('src/x.py', false), 'x.py');
  assert.equal(shortLabel('b/x.py:3-4', true), 'b/x.py:3-4');
  assert.equal(shortLabel('b/src/deep/x.py', true), 'b/…/x.py');
  assert.equal(shortLabel('/elsewhere/x.py', true), 'x.py');
  assert.equal(shortLabel('Untitled-1', true), 'Untitled-1');
});
