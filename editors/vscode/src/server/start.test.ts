import assert from 'node:assert/strict';
import { test } from 'node:test';
import { environment } from './environment';
import { Lines, readLine } from './logged';
import { Restarts } from './restarts';
import { serverSettings, userValues, workspaceValues } from './values';
import { mismatch } from './versions';

test('the environment is changed by the setting, and by the key last', () => {
  const base = { PATH: '/bin', DROPPED: 'x', GEMINI_API_KEY: 'old' };
  assert.deepEqual(environment(base, { DROPPED: null, ADDED: 'y', NUMBER: 1 }, undefined), { PATH: '/bin', GEMINI_API_KEY: 'old', ADDED: 'y' });
  assert.deepEqual(environment(base, { GEMINI_API_KEY: 'configured' }, 'signed in'), { PATH: '/bin', DROPPED: 'x', GEMINI_API_KEY: 'signed in', EMENDO_CLIENT_VARIABLES: 'GEMINI_API_KEY' });
  assert.equal(base.DROPPED, 'x');
});

test('a server that dies is started again, later each time, until it died too often', () => {
  const restarts = new Restarts();
  assert.deepEqual([0, 1, 2, 3, 4].map((second) => restarts.died(second * 1000)), [0, 1000, 2000, 4000, undefined]);
  assert.equal(restarts.died(10 * 60_000), 0, 'deaths of long ago do not count');
  restarts.forget();
  assert.equal(restarts.died(10 * 60_000), 0);
});

const lines: [line: string, level: string, text: string][] = [
  ['time=2026-01-02T03:04:05.678Z level=INFO msg="the client has gone" pid=1', 'info', 'the client has gone pid=1'],
  ['level=WARN msg=slow after=2s', 'warn', 'slow after=2s'],
  ['time=x level=ERROR msg="no \\"model\\"" error="a b"', 'error', 'no "model" error="a b"'],
  ['time=x level=DEBUG+2 msg=detail', 'debug', 'detail'],
  ['panic: runtime error', 'warn', 'panic: runtime error'],
];
for (const [line, level, text] of lines) {
  test(`reads the line ${line}`, () => assert.deepEqual(readLine(line), { level, text }));
}

test('lines are whole however they come', () => {
  const got: string[] = [];
  const reader = new Lines((line) => got.push(line));
  ['a', 'b\nc\r\n', '\nd'].forEach((text) => reader.add(text));
  assert.deepEqual(got, ['ab', 'c']);
  reader.end();
  assert.deepEqual(got, ['ab', 'c', 'd']);
});

test('a wire of another version is refused', () => {
  assert.deepEqual([{ version: 1 }, { version: 0 }, { version: 2 }, {}, undefined].map(mismatch), [undefined, 'too-old', 'too-new', 'no-server', 'no-server']);
});

test('a workspace sets only what a project may set, and never what counts as the user', () => {
  const settings = serverSettings({
    contributes: {
      configuration: [
        { id: 'emendo', properties: { 'emendo.path': { scope: 'machine' } } },
        { id: 'emendo.server.tools', properties: { 'emendo.tools.allowed': { scope: 'application' }, 'emendo.model.name': { scope: 'window' } } },
      ],
    },
  });
  const inspect = (name: string) => ({ defaultValue: 'default', globalValue: `user's ${name}`, workspaceValue: `workspace's ${name}` });
  assert.deepEqual(userValues(settings, inspect), { 'tools.allowed': "user's tools.allowed", 'model.name': "user's model.name" });
  assert.deepEqual(workspaceValues(settings, inspect), { 'model.name': "workspace's model.name" });
  assert.deepEqual(userValues(settings, () => ({})), {});
});
