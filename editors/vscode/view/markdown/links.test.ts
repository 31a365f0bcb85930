import assert from 'node:assert/strict';
import { test } from 'node:test';
import { classify, fileOfCode, isPicture } from './links';

const addresses: [string, unknown][] = [
  ['https://example.org/a?b#c', { kind: 'web', address: 'https://example.org/a?b#c' }],
  ['HTTP://example.org', { kind: 'web', address: 'HTTP://example.org' }],
  ['src/main.go', { kind: 'file', address: 'src/main.go' }],
  ['main.go:12', { kind: 'file', address: 'main.go:12' }],
  ['src/main.go:12:3', { kind: 'file', address: 'src/main.go:12:3' }],
  ['src/main.go:12-15', { kind: 'file', address: 'src/main.go:12-15' }],
  ['src/main.go#L3-L9', { kind: 'file', address: 'src/main.go#L3-L9' }],
  ['src/main.go#L3', { kind: 'file', address: 'src/main.go#L3' }],
  ['a%20b.md', { kind: 'file', address: 'a%20b.md' }],
  ['file:///home/me/a.go#L2', { kind: 'file', address: 'file:///home/me/a.go#L2' }],
  ['file:///C:/a.go', { kind: 'file', address: 'file:///C:/a.go' }],
  ['C:\\a.go:4', { kind: 'file', address: 'C:\\a.go:4' }],
  ['command:workbench.action.quit', { kind: 'none' }],
  ['command:1', { kind: 'none' }],
  ['COMMAND:emendo.x', { kind: 'none' }],
  [' javascript:alert(1)', { kind: 'none' }],
  ['java%73cript:alert(1)', { kind: 'none' }],
  ['data:text/html,x', { kind: 'none' }],
  ['vscode:extension/x', { kind: 'none' }],
  ['file://host/share', { kind: 'none' }],
  ['//host/share', { kind: 'none' }],
  ['\\\\host\\share', { kind: 'none' }],
  ['#heading', { kind: 'none' }],
  ['a%0Ab', { kind: 'none' }],
  ['', { kind: 'none' }],
];

for (const [address, target] of addresses) {
  test(`address ${JSON.stringify(address)}`, () => assert.deepEqual(classify(address), target));
}

const codes: [string, unknown][] = [
  ['src/main.go', { kind: 'file', address: 'src/main.go' }],
  ['main.go:7', { kind: 'file', address: 'main.go:7' }],
  ['main.go', { kind: 'none' }],
  ['fmt.Println', { kind: 'none' }],
  ['a / b.c', { kind: 'none' }],
  ['rm -rf /x.y', { kind: 'none' }],
];

for (const [code, target] of codes) {
  test(`code ${code}`, () => assert.deepEqual(fileOfCode(code), target));
}

test('pictures are data of allowed kinds alone', () => {
  const shown = ['data:image/png;base64,AAAA', 'data:image/svg+xml;base64,AAAA', 'https://example.org/a.png', 'data:image/png,<svg>'].map(isPicture);
  assert.deepEqual(shown, [true, false, false, false]);
});
