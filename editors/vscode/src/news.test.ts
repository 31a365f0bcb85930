import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SessionNews, type News } from './news';
import type { SessionInfo, SessionStatus } from './shared/wire';

function session(status: SessionStatus, pendingHunks = 0): SessionInfo {
  const usage = { inputTokens: 0, outputTokens: 0, cachedTokens: 0, thoughtTokens: 0, toolTokens: 0, totalTokens: 0, contextLimit: 0 };
  return { sessionId: 's', title: 'T', cwd: '/w', roots: [], createdAt: '', updatedAt: '', model: 'm', mode: 'default', turns: 1, usage, status, pendingHunks };
}

type Step = (news: SessionNews) => News | undefined;
const is = (status: SessionStatus, hunks?: number): Step => (news) => news.changed(session(status, hunks), false);
const asks: Step = (news) => news.changed(session('waiting', 1), true);
const ends = (reason: Parameters<SessionNews['turnEnded']>[1]): Step => (news) => news.turnEnded('s', reason);

const cases: [what: string, steps: Step[], want: (News | undefined)[]][] = [
  ['a turn that ends', [is('running'), ends('end_turn'), is('idle')], [undefined, undefined, 'finished']],
  ['an end that comes after the status', [is('running'), is('idle'), ends('end_turn')], [undefined, undefined, 'finished']],
  ['a queued turn follows', [is('running'), ends('_emendo/error'), is('running'), ends('end_turn'), is('idle')], [undefined, undefined, undefined, undefined, 'finished']],
  ['an older status comes after the end', [is('running'), ends('end_turn'), is('running'), is('idle')], [undefined, undefined, undefined, 'finished']],
  ['the user stops it', [is('running'), ends('cancelled'), is('idle')], [undefined, undefined, undefined]],
  ['the provider fails', [is('running'), ends('_emendo/error'), is('idle')], [undefined, undefined, 'failed']],
  ['only the title changes', [is('idle'), is('idle')], [undefined, undefined]],
  ['edits wait for review, once', [is('running'), is('waiting', 2), is('waiting', 1)], [undefined, 'review', undefined]],
  ['a question is open', [is('running'), asks], [undefined, undefined]],
];

for (const [what, steps, want] of cases) {
  test(what, () => {
    const news = new SessionNews();
    assert.deepEqual(steps.map((step) => step(news)), want);
  });
}
