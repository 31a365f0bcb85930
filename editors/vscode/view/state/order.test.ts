import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SessionUpdate } from '../../src/shared/wire';
import { inOrder } from './order';

const update = (seq: number | undefined, replay = false): SessionUpdate => ({
  sessionId: 's',
  ...(seq === undefined ? {} : { seq }),
  replay,
  update: { sessionUpdate: 'plan', entries: [] },
});

const cases: { name: string; last: number; updates: SessionUpdate[]; ready: (number | undefined)[]; late: (number | undefined)[] }[] = [
  { name: 'in order', last: 2, updates: [update(3), update(4)], ready: [3, 4], late: [] },
  { name: 'swapped', last: 2, updates: [update(4), update(3)], ready: [3, 4], late: [] },
  { name: 'after a gap', last: 2, updates: [update(5), update(4)], ready: [], late: [4, 5] },
  { name: 'doubled', last: 4, updates: [update(3), update(5)], ready: [3, 5], late: [] },
  { name: 'replayed and merged', last: 0, updates: [update(7, true), update(9, true)], ready: [7, 9], late: [] },
  { name: 'without a number', last: 2, updates: [update(3), update(undefined), update(6)], ready: [3, undefined], late: [6] },
];

for (const { name, last, updates, ready, late } of cases) {
  test(`updates ${name}`, () => {
    const split = inOrder(last, updates);
    assert.deepEqual({ ready: split.ready.map(({ seq }) => seq), late: split.late.map(({ seq }) => seq) }, { ready, late });
  });
}
