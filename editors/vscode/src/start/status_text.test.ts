import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Status } from '../shared/wire';
import { statusItem, statusLines, type Shown } from './status_text';

const t = (text: string, ...values: (string | number)[]) => text.replace(/\{(\d)\}/g, (_, index) => String(values[Number(index)]));
const running: Shown = { server: { state: 'running' }, status: { kind: 'ready', message: 'emendo is ready' }, folder: true, trusted: true, questions: 0 };
const says = (status: Partial<Status>): Shown => ({ ...running, status: { ...running.status!, ...status } });

const items: [what: string, shown: Shown, icon: string, label: string][] = [
  ['nothing to tell', running, 'edit', 'Emendo'],
  ['a server that was never needed', { ...running, server: { state: 'stopped' }, status: undefined }, 'edit', 'Emendo'],
  ['a server that starts', { ...running, server: { state: 'starting' }, status: undefined }, 'loading~spin', 'Emendo'],
  ['a server that is gone', { ...running, server: { state: 'failed', message: 'x' }, status: undefined, questions: 1 }, 'error', 'Emendo: stopped'],
  ['a running turn', says({ kind: 'busy' }), 'loading~spin', 'Emendo: working'],
  ['changes to review', says({ pendingHunks: 3 }), 'diff', 'Emendo: 3 to review'],
  ['a question of a running turn', { ...says({ kind: 'busy' }), questions: 1 }, 'bell-dot', 'Emendo: 1 question'],
  ['a key that was refused', says({ kind: 'signed_out' }), 'key', 'Emendo: sign in'],
  ['a restricted folder', says({ kind: 'restricted' }), 'shield', 'Emendo'],
  ['a window without a folder', { ...says({ kind: 'restricted' }), folder: false }, 'edit', 'Emendo'],
  ['changes in a restricted folder', says({ kind: 'restricted', pendingHunks: 1 }), 'diff', 'Emendo: 1 to review'],
];
for (const [what, shown, icon, label] of items) {
  test(`the status bar shows ${what}`, () => {
    const item = statusItem(shown, t);
    assert.deepEqual([item.icon, item.label], [icon, label]);
  });
}

test('the tooltip has the state, the mode by its name, the model, and what waits', () => {
  const shown = says({ mode: 'auto_edit', model: 'flash', pendingHunks: 2 });
  assert.deepEqual(statusLines(shown, [{ id: 'auto_edit', name: 'Apply edits' }], t), [
    'emendo is ready',
    'Mode: Apply edits',
    'Model: flash',
    '2 changes wait for your decision.',
  ]);
});

test('a window without a folder says what works there, and nothing of a restricted folder', () => {
  const [line, ...more] = statusLines({ ...says({ kind: 'restricted', message: 'emendo may read /storage' }), folder: false }, [], t);
  assert.match(line!, /^No folder is open/);
  assert.deepEqual(more, []);
});
