import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LogOutputChannel } from 'vscode';
import { ServerProcess } from './process';

/** Runs a shell's command as a server, and returns it with what it logs. */
async function start(command: string): Promise<{ server: ServerProcess; logged: string[] }> {
  const logged: string[] = [];
  const level = (name: string) => (text: string) => logged.push(`${name}: ${text}`);
  const log = { debug: level('debug'), info: level('info'), warn: level('warn'), error: level('error') };
  const program = { command: '/bin/sh', args: ['-c', command], env: process.env, cwd: '/' };
  return { server: await ServerProcess.start(program, log as unknown as LogOutputChannel), logged };
}

test('a process that ends tells how, and what it said last', async () => {
  const { server, logged } = await start('echo "level=INFO msg=begin" >&2; echo "level=ERROR msg=\\"no disk\\"" >&2; exit 3');
  assert.equal(await server.ended, 'It ended with status 3: no disk');
  assert.deepEqual(logged, ['info: begin', 'error: no disk']);
});

test('a process that is killed tells by what', async () => {
  const { server } = await start('exec sleep 1000');
  server.kill();
  assert.equal(await server.ended, 'It was ended by SIGKILL.');
  await server.finish(); // which returns at once
});

test("a program that cannot be started rejects with the system's error", async () => {
  const program = { command: '/no/such/program', args: [], env: {}, cwd: '/' };
  await assert.rejects(ServerProcess.start(program, {} as LogOutputChannel), { code: 'ENOENT' });
});
