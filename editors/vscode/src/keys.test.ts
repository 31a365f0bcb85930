import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

interface Manifest {
  contributes: {
    keybindings: { command: string; when?: string }[];
    configurationDefaults: { 'terminal.integrated.commandsToSkipShell': string[] };
  };
}

test('every key that is for no editor works while the terminal has the focus', () => {
  const { contributes } = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest;
  const keys = contributes.keybindings.filter(({ when = '' }) => !when.includes('editorTextFocus')).map(({ command }) => command);
  assert.deepEqual(contributes.configurationDefaults['terminal.integrated.commandsToSkipShell'], [...new Set(keys)].sort());
});
