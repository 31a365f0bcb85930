import type { SessionUpdate } from '../../src/shared/wire';

/**
 * Splits updates into those that follow on from `lastSeq`, sorted, and those
 * that come after a gap. Replayed ones may leave numbers out, since chunks that
 * were merged have the number of the last.
 */
export function inOrder(lastSeq: number, updates: readonly SessionUpdate[]): { ready: SessionUpdate[]; late: SessionUpdate[] } {
  const sorted = bySeq(updates);
  const ready: SessionUpdate[] = [];
  const late: SessionUpdate[] = [];
  let next = lastSeq + 1;
  for (const update of sorted) {
    if (update.seq === undefined || update.seq <= next || (update.replay && late.length === 0)) {
      ready.push(update);
      next = Math.max(next, (update.seq ?? 0) + 1);
    } else {
      late.push(update);
    }
  }
  return { ready, late };
}

/** Sorts updates. One without a number stays behind those that came before it. */
export function bySeq(updates: readonly SessionUpdate[]): SessionUpdate[] {
  let last = 0;
  return updates
    .map((update) => ({ update, seq: (last = update.seq ?? last) }))
    .sort((a, b) => a.seq - b.seq)
    .map(({ update }) => update);
}
