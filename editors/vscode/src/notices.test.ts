import assert from 'node:assert/strict';
import { test } from 'node:test';
import { simpleOptions, subject } from './notices';
import type { AskedQuestion } from './shared/messages';
import type { PermissionOption, PermissionPreview, ToolMeta } from './shared/wire';

const options: PermissionOption[] = [
  { optionId: 'allow_once', name: 'Allow once', kind: 'allow_once' },
  { optionId: 'allow_always', name: 'Always allow go test in this session', kind: 'allow_always' },
  { optionId: 'reject_once', name: 'Reject', kind: 'reject_once' },
  { optionId: 'reject_stop', name: 'Reject this and the rest, and stop', kind: 'reject_once' },
];

function permission(preview: PermissionPreview, emendo: ToolMeta = {}): AskedQuestion {
  return { question: 1, kind: 'permission', request: { sessionId: 's', toolCall: { toolCallId: 'c', title: 'T', _meta: { emendo } }, options, preview } };
}

const ids = (asked: AskedQuestion): string[] => simpleOptions(asked).map(({ optionId }) => optionId);

test('a short command can be answered once from the notice', () => {
  const asked = permission({ command: 'go test ./...', cwd: '/w' }, { sandbox: 'A' });
  assert.deepEqual(subject(asked), { kind: 'command', text: 'go test ./...', whole: true });
  assert.deepEqual(ids(asked), ['allow_once', 'reject_once']);
});

const notSimple: [what: string, asked: AskedQuestion][] = [
  ['a command of several lines', permission({ command: 'cat <<E\nx\nE' })],
  ['a long command', permission({ command: `echo ${'x'.repeat(200)}` })],
  ['a command that does not see unsaved text', permission({ command: 'make', unsaved: ['file:///a'] })],
  ['a command before which files are saved', permission({ command: 'make', saves: ['file:///a'] })],
  ['a command without a sandbox', permission({ command: 'make' }, { sandbox: 'C' })],
  ['a command with a part that is denied', permission({ command: 'a; b', commands: [{ text: 'b', decision: 'deny' }] })],
  ['a long reason', permission({ command: 'make' }, { reason: 'because '.repeat(50) })],
  ['a tool of a server', permission({ serverName: 'db', toolName: 'query', args: { q: 'drop' } })],
  ['a program to be started', permission({ executable: { kind: 'hook', name: 'h', command: 'x', env: [], changed: false } })],
  ['a plan', permission({ planUri: 'file:///p.md' })],
  ['a text that a notice would make a link of', permission({ command: 'echo [ok](command:workbench.action.quit)' })],
];

for (const [what, asked] of notSimple) {
  test(`${what} is answered in the view`, () => assert.deepEqual(ids(asked), []));
}

test('no link is made of what the model wrote', () => {
  assert.equal(subject(permission({ command: 'echo [ok](command:x)' })).text, 'echo [ok] (command:x)');
});

test('hidden characters and line ends are shown', () => {
  assert.equal(subject(permission({ command: 'a\u202Eb' })).text, 'a\\u{202E}b');
  assert.equal(subject(permission({ command: 'first\nsecond' })).text, 'first…');
  assert.equal(subject(permission({ paths: ['a\nb', 'c'] })).whole, false);
});

test('questions of the model and of a server’s form', () => {
  const questions = [{ header: 'Port', question: 'Which port?', type: 'integer' as const }];
  assert.deepEqual(subject({ question: 1, kind: 'elicit', request: { sessionId: 's', toolCallId: 'c', questions } }), { kind: 'model', text: 'Which port?', whole: false });
  assert.equal(subject({ question: 1, kind: 'elicit', request: { sessionId: 's', questions } }).kind, 'form');
});
