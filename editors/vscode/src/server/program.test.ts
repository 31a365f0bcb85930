import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { bundledProgram, findProgram, type Machine } from './program';

const folder = mkdtempSync(join(tmpdir(), 'program-'));
after(() => rmSync(folder, { recursive: true }));
const executable = join(folder, 'emendo');
const text = join(folder, 'text');
writeFileSync(executable, '#!/bin/sh\n', { mode: 0o755 });
writeFileSync(text, '', { mode: 0o644 });

const machine: Machine = { env: {}, platform: 'linux', arch: 'x64' };
const programs: [what: string, head: string, platform: NodeJS.Platform, foreign: boolean][] = [
  ['a script', '#!/bin/sh\n', 'linux', false],
  ['a program of Linux on x64', elf(62), 'linux', false],
  ['a program of Linux on arm64', elf(183), 'linux', true],
  ['a program of macOS', '\xcf\xfa\xed\xfe', 'linux', true],
  ['a program of Windows', 'MZ', 'linux', true],
  ['a program of Linux', elf(62), 'darwin', true],
  ['a program of macOS', '\xcf\xfa\xed\xfe', 'darwin', false],
  ['a program of Linux', elf(62), 'win32', true],
];
for (const [what, head, platform, foreign] of programs) {
  test(`knows ${what} on ${platform}`, () => {
    const path = join(folder, 'program');
    writeFileSync(path, new Uint8Array([...head].map((byte) => byte.charCodeAt(0))), { mode: 0o755 });
    assert.deepEqual(findProgram(path, { ...machine, platform }), foreign ? { path, missing: 'foreign' } : { path });
  });
}

function elf(processor: number): string {
  return `\x7fELF${'\0'.repeat(14)}${String.fromCharCode(processor)}\0`;
}

const cases: [what: string, named: string, path: string, want: unknown][] = [
  ['an absolute path', executable, '', { path: executable }],
  ['a path to nothing', join(folder, 'no'), '', { path: join(folder, 'no'), missing: 'nothing' }],
  ['a folder', folder, executable, { path: folder, missing: 'folder' }],
  ['a file that is not executable', text, '', { path: text, missing: 'not-executable' }],
  ['a relative path', './emendo', folder, { path: './emendo', missing: 'relative' }],
  ['a path in the home folder', '~/no/such/emendo', '', { path: join(homedir(), 'no/such/emendo'), missing: 'nothing' }],
  ['a name on PATH', 'emendo', `/no/such:${folder}`, { path: executable }],
  ['a name that is not on PATH', 'emendo', '/no/such', { path: 'emendo', missing: 'not-on-path' }],
  ['a name of a file that is not executable', 'text', folder, { path: 'text', missing: 'not-on-path' }],
  ['a relative folder on PATH, which is the workspace for some', 'emendo', `.:`, { path: 'emendo', missing: 'not-on-path' }],
];
for (const [what, named, path, want] of cases) {
  test(`finds ${what}`, { skip: process.platform === 'win32' && 'PATH is written in another way' }, () => {
    assert.deepEqual(findProgram(named, { ...machine, env: { PATH: path } }), want);
  });
}

test('a program that lost its mode is made executable', () => {
  mkdirSync(join(folder, 'bin'));
  const bundled = join(folder, 'bin', 'emendo');
  writeFileSync(bundled, '#!/bin/sh\n');
  chmodSync(bundled, 0o644);
  assert.deepEqual(bundledProgram(folder, machine), { path: bundled });
  assert.equal(statSync(bundled).mode & 0o111, 0o111);
});
