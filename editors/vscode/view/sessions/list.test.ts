import assert from 'node:assert/strict';
import { test } from 'node:test';
import { activityOf, byDay, emptyList, grouped, moved, timeOf, withPage, withSession, without } from './list';
import type { SessionInfo } from '../../src/shared/wire';

const now = new Date(2026, 10, 23, 0, 30);

function session(sessionId: string, at: Date, more: Partial<SessionInfo> = {}): SessionInfo {
  return { sessionId, title: sessionId, cwd: '/w', updatedAt: at.toISOString(), model: 'm', mode: 'default', ...more };
}

const at = (day: number, hour = 12, month = 10): Date => new Date(2026, month, day, hour);
const ids = (sessions: readonly SessionInfo[]): string[] => sessions.map(({ sessionId }) => sessionId);

test('sessions are grouped by the calendar, not by hours', () => {
  const sessions = [session('a', at(23, 0)), session('b', at(22, 23)), session('c', at(22, 1)), session('d', at(19)), session('e', at(2)), session('f', at(30, 12, 8))];
  assert.deepEqual(
    byDay(sessions, now, 'en').map(({ label, sessions }) => [label, ids(sessions)]),
    [['Today', ['a']], ['Yesterday', ['b', 'c']], ['Thursday', ['d']], ['November 2026', ['e']], ['September 2026', ['f']]],
  );
});

test('what is working, waiting or unread comes before the days', () => {
  const sessions = [session('a', at(23, 0)), session('b', at(22, 23)), session('c', at(22, 1)), session('d', at(19), { status: 'running' })];
  const groups = grouped(sessions, (one) => activityOf(one, false, one.sessionId === 'b'), now, 'en');
  assert.deepEqual(
    groups.map(({ label, sessions }) => [label, ids(sessions)]),
    [['Active and unread', ['b', 'd']], ['Today', ['a']], ['Yesterday', ['c']]],
  );
  assert.deepEqual(grouped(sessions.slice(0, 1), () => 'idle', now, 'en').map(({ label }) => label), ['Today']);
});

test('a clock that is ahead is still today', () => {
  assert.equal(byDay([session('a', at(24))], now, 'en')[0]?.label, 'Today');
});

test('the time of recent sessions, the day of others', () => {
  assert.equal(timeOf(at(22, 9).toISOString(), now, 'en-GB'), '09:00');
  assert.equal(timeOf(at(2).toISOString(), now, 'en-GB'), '2 Nov');
});

test('a page is appended, what is known stays once', () => {
  const first = withPage(emptyList, { sessions: [session('a', at(5)), session('b', at(4))], nextCursor: 'x' });
  const both = withPage(first, { sessions: [session('b', at(4)), session('c', at(3))] });
  assert.deepEqual([ids(both.sessions), both.nextCursor], [['a', 'b', 'c'], undefined]);
});

test('a session that changes moves to its place', () => {
  const list = withPage(emptyList, { sessions: [session('a', at(5)), session('b', at(4))], nextCursor: 'x' });
  const after = withSession(list, session('b', at(6), { title: 'new' }), false);
  assert.deepEqual([ids(after.sessions), after.sessions[0]?.title, after.nextCursor], [['b', 'a'], 'new', 'x']);
});

test('a new session is added only where it belongs', () => {
  const list = withPage(emptyList, { sessions: [session('a', at(5))] });
  assert.deepEqual(ids(withSession(list, session('n', at(6)), true).sessions), ['n', 'a']);
  assert.equal(withSession(list, session('n', at(6)), false), list);
  assert.deepEqual(ids(without(list, 'a').sessions), []);
});

test('what matters most about a session', () => {
  const busy = session('a', at(1), { status: 'running' });
  const waiting = session('a', at(1), { status: 'waiting', pendingHunks: 2 });
  const idle = session('a', at(1), { status: 'idle', pendingHunks: 2 });
  assert.deepEqual(
    [activityOf(busy, true, true), activityOf(busy, false, true), activityOf(waiting, false, false), activityOf({ ...waiting, pendingHunks: 0 }, false, false), activityOf(idle, false, true), activityOf(idle, false, false)],
    ['asks', 'working', 'review', 'asks', 'unread', 'idle'],
  );
});

test('keys move within the list', () => {
  assert.deepEqual(
    ['ArrowDown', 'ArrowUp', 'Home', 'End', 'PageDown', 'PageUp', 'a'].map((key) => moved(key, 2, 5)),
    [3, 1, 0, 4, 4, 0, undefined],
  );
  assert.equal(moved('ArrowDown', 4, 5), 4);
});
