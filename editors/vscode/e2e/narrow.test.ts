/** The view without VS Code: what has to have its place in a narrow view of a conversation. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Item, Line } from '../src/shared/view.ts';
import { open } from '../view/dev/harness.mjs';
import { sharedBrowser } from './code.ts';
import { change, inView, isSeen, settle, showSession } from './in_view.ts';
import { shots } from './places.ts';

const turn = (id: string, more: object): { item: object } => ({ item: { id, kind: 'turn', title: { text: 'Working…' }, ...more } });
const item = (parent: string, kind: string, id: string, title: string, more: object): { item: object } => ({ item: { id, parent, kind, title: { text: title }, ...more } });
const prompt = (parent: string, id: string, text: string): { item: object } => item(parent, 'user', id, '', { parts: [{ kind: 'text', text }] });

/** What a call has of the file that it changes, as long as the edit waits or after the user has decided. */
function edits(state: 'pending' | 'accepted' | 'rejected', path = 'a.go'): Pick<Item, 'parts' | 'lines' | 'actions'> {
  const place = { uri: `file:///home/me/project/${path}` };
  const label = { text: `${path} +1 −1`, code: 'fact.file', args: { path, added: 1, removed: 1 }, short: '+1 −1' };
  const name = path.split('/').at(-1)!;
  const lines: Line[] = [
    { id: 'file', look: 'modify', text: label, place, action: { id: 'diff:0', title: { text: `Show the diff of ${name}` }, look: 'diff' } },
    { id: 'edits', look: state, text: { text: { pending: '1 edit to review', accepted: 'Accepted', rejected: 'Rejected' }[state] } },
  ];
  const action = (id: string, text: string): { id: string; title: { text: string }; look: string } => ({ id, title: { text }, look: id });
  const decide = [action('review', 'Review'), action('accept', 'Accept'), action('reject', 'Reject')];
  return {
    parts: [{ kind: 'diff', label, place, rows: [['-', 'a'], ['+', 'b']] }],
    lines,
    actions: [action('diff', 'Show the diff'), ...(state === 'pending' ? decide : [])],
  };
}

test('the name of a file is seen however long its path is', () =>
  inView(
    'dark',
    async (view) => {
      const path = `${'packages/deep/'.repeat(10)}fee_of_parking.py`;
      await showSession(view);
      await change(
        view,
        1,
        turn('t1', { state: 'running' }),
        prompt('t1', 'p', 'Round up.'),
        item('t1', 'call', 'c0', `Read ${path}`, { look: 'read', state: 'done' }),
        item('t1', 'call', 'c1', `Edit ${path}`, { look: 'edit', state: 'asks', ...edits('pending', path) }),
      );
      await settle(view);
      await view.locator('.change-set').waitFor();
      await view.screenshot({ path: join(shots, 'paths-long.png'), animations: 'disabled' });
      const seen = await view.locator('.path').evaluateAll((all) =>
        all.map((element) => {
          const text = element.querySelector('bdi')!.firstChild as Text;
          const name = document.createRange();
          name.setStart(text, text.length - 'fee_of_parking.py'.length);
          name.setEnd(text, text.length);
          const [box, { left, right }] = [element.getBoundingClientRect(), name.getBoundingClientRect()];
          return box.left <= left && right <= box.right + 0.5;
        }),
      );
      assert.deepEqual(seen, [true, true, true]);
    },
    { width: 300, height: 700 },
  ));

for (const theme of ['dark', 'light', 'contrast'] as const) {
  test(`a conversation in a narrow view, ${theme}`, async () => {
    const { view, problems, close } = await open({ browser: await sharedBrowser(), theme, width: 300, height: 900, state: { sessionId: 's' } });
    try {
      await showSession(view);
      const edit = (state: string, how: 'pending' | 'accepted' | 'rejected'): { item: object } => item('t1', 'call', 'c1', 'Edit a.go', { look: 'edit', state, ...edits(how) });
      await change(
        view,
        1,
        turn('t1', { state: 'done', title: { text: 'Done', code: 'turn.done' }, lines: [{ id: 'time', text: { text: '1.0 s' } }], actions: ['copy'] }),
        prompt('t1', 'p1', 'Round up.'),
        item('t1', 'call', 'c0', 'exit 3', { look: 'execute', state: 'failed', note: { text: 'exit 3' } }),
        edit('failed', 'pending'),
        item('t1', 'answer', 'm4/1', '', { state: 'done', parts: [{ kind: 'markdown', text: '```go\nfunc fee() int { return 1 }\n```\n' }], actions: [{ id: 'copy', title: { text: 'Copy as Markdown' } }] }),
        turn('t2', { state: 'running' }),
        prompt('t2', 'p2', 'Go on with everything that is still open.'),
        item('t2', 'plan', 't2/plan0', '0 of 2 · Look at every file that has fees in it', {
          state: 'running',
          lines: [{ text: { text: 'Look at every file that has fees in it' }, state: 'running', look: 'high' }, { text: { text: 'Test' }, state: 'waiting' }],
        }),
      );

      const apply = view.getByRole('button', { name: 'Apply as a proposed edit' });
      await apply.hover();
      assert.ok(await isSeen(apply), 'nothing lies over the actions of code');
      assert.ok(await isSeen(view.locator('.message-actions').getByRole('button', { name: 'Copy as Markdown' })));
      await view.screenshot({ path: join(shots, `narrow-${theme}.png`), animations: 'disabled' });

      assert.match(await view.locator('.file-change').innerText(), /^a\.go\s*\+1\s*−1\s*-\s*a/, 'the numbers of lines are said once');
      assert.deepEqual(await view.locator('.change-set-foot .small-button').allInnerTexts(), ['Review', 'Accept', 'Reject']);
      const [review, reject] = [await view.getByRole('button', { name: 'Review', exact: true }).boundingBox(), await view.getByRole('button', { name: 'Reject', exact: true }).boundingBox()];
      assert.equal(review!.y, reject!.y, 'the buttons are in one line');

      assert.equal(await view.locator('.tool', { hasText: 'exit 3' }).locator('.tool-status').first().getAttribute('title'), 'Failed');
      await change(view, 2, edit('rejected', 'rejected'));
      await view.locator('.change-set-state', { hasText: 'Rejected' }).waitFor();
      assert.equal(await view.locator('.tool', { hasText: 'Edit a.go' }).locator('.tool-status').getAttribute('title'), 'Rejected', 'what the user decided is no failure');
      await change(view, 3, edit('done', 'accepted'));
      await view.locator('.change-set-state', { hasText: 'Accepted' }).waitFor();
      assert.equal(await view.locator('.tool', { hasText: 'Edit a.go' }).locator('.tool-status').getAttribute('title'), 'Done');

      const plan = (await view.locator('.plan-bar').boundingBox())!;
      assert.ok(plan.height < 30, `the plan's line is ${plan.height} high`);

      const end = (await view.locator('[data-turn=t1] .facts').boundingBox())!;
      const next = (await view.locator('[data-turn=t2] .user-prompt').boundingBox())!;
      assert.ok(next.y - end.y - end.height < 24, `${next.y - end.y - end.height} px between the turns`);
      assert.deepEqual(problems, []);
    } finally {
      await close();
    }
  });
}
