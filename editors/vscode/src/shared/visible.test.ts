import assert from 'node:assert/strict';
import { test } from 'node:test';
import { visible, visibleLine } from './visible';

const cases: [what: string, text: string, want: string][] = [
  ['plain text', 'go test ./... — né 日本', 'go test ./... — né 日本'],
  ['line ends and tabs', 'a\n\tb', 'a\n\tb'],
  ['a carriage return and an escape', 'a\r\u001b[2K', 'a\\u{000D}\\u{001B}[2K'],
  ['text that is turned around', 'safe\u202Etxt.exe', 'safe\\u{202E}txt.exe'],
  ['text without width', 'rm\u200B -rf\uFEFF', 'rm\\u{200B} -rf\\u{FEFF}'],
  ['other spaces', 'a\u00A0b\u2003c', 'a\\u{00A0}b\\u{2003}c'],
  ['tags', 'ok\u{E0041}', 'ok\\u{E0041}'],
  ['blank letters', 'a\u3164b\u2800c', 'a\\u{3164}b\\u{2800}c'],
  ['half of a pair', 'a\uD800b', 'a\uFFFDb'],
  ['a selector behind a symbol', '✔\uFE0F', '✔\uFE0F'],
  ['a selector behind a letter', 'a\uFE0F', 'a\\u{FE0F}'],
];

for (const [what, text, want] of cases) {
  test(`visible: ${what}`, () => assert.equal(visible(text), want));
}

test('visibleLine: a name cannot pass for two lines', () => {
  assert.equal(visibleLine('a\nb\tc✔\uFE0F'), 'a\\u{000A}b\\u{0009}c✔\\u{FE0F}');
});
