import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ServerState } from '../shared/messages';
import type { Item } from '../shared/view';
import { statusShown } from './status_text';

const item = (short: string, more: Partial<Item>): Item => ({ id: 'status', kind: 'status', title: { text: `about ${short}`, ...(short !== '' && { short }) }, ...more });
const running: ServerState = { state: 'running' };

const cases: [what: string, server: ServerState, status: Item | undefined, icon: string, label: string, look: string][] = [
  ['nothing to tell', running, item('', {}), 'edit', 'Emendo', 'plain'],
  ['a server that has told nothing yet', running, undefined, 'edit', 'Emendo', 'plain'],
  ['a server that was never needed', { state: 'stopped' }, undefined, 'edit', 'Emendo', 'plain'],
  ['a server that starts', { state: 'starting' }, undefined, 'loading~spin', 'Emendo', 'plain'],
  ['a server that is gone', { state: 'failed', message: 'x' }, undefined, 'error', 'Emendo: stopped', 'error'],
  ['a server that cannot work', { state: 'unsupported', message: 'x' }, undefined, 'circle-slash', 'Emendo', 'plain'],
  ['a server that did not begin', running, item('error', { look: 'error', state: 'failed' }), 'error', 'Emendo: error', 'error'],
  ['a running turn', running, item('working', { state: 'running' }), 'loading~spin', 'Emendo: working', 'plain'],
  ['changes to review', running, item('3 to decide', { look: 'edit' }), 'diff', 'Emendo: 3 to decide', 'plain'],
  ['changes of a running turn', running, item('3 to decide', { look: 'edit', state: 'running' }), 'loading~spin', 'Emendo: 3 to decide', 'plain'],
  ['a question', running, item('1 question', { look: 'warning', state: 'asks' }), 'bell-dot', 'Emendo: 1 question', 'warning'],
  ['a key that is missing', running, item('sign in', { look: 'signed_out', state: 'failed' }), 'key', 'Emendo: sign in', 'warning'],
  ['a restricted folder', running, item('restricted', { look: 'restricted' }), 'shield', 'Emendo: restricted', 'plain'],
];
for (const [what, server, status, icon, label, look] of cases) {
  test(`the status bar shows ${what}`, () => {
    const shown = statusShown(server, status, (text) => text);
    assert.deepEqual([shown.icon, shown.label, shown.look], [icon, label, look]);
  });
}

test('the tooltip says each fact of the status once, or why no server gives one', () => {
  const status = item('2 to decide', { look: 'edit', lines: [{ text: { text: 'about 2 to decide' } }, { label: { text: 'Mode' }, text: { text: 'Apply edits' } }] });
  assert.deepEqual(statusShown(running, status, (text) => text).lines, ['about 2 to decide', 'Mode: Apply edits']);
  assert.deepEqual(statusShown({ state: 'failed', message: 'It ended.' }, undefined, (text) => text).lines, ['It ended.']);
});
