import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { withoutLinks } from './shared/visible';

test('every notice goes through tell', () => {
  const direct = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !/(^|\/)tell(\.test)?\.ts$/.test(name))
    .filter((name) => /\bshow(Information|Warning|Error)Message\b/.test(readFileSync(join('src', name), 'utf8')));
  assert.deepEqual(direct, []);
});

test('links are taken out of texts', () => {
  const text = 'cfg.json is gone: [Open it](command:workbench.action.terminal.sendSequence) [[x](file:///y)](https://z)';
  assert.doesNotMatch(withoutLinks(text), /\]\(/);
});
