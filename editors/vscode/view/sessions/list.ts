import type { SessionInfo } from '../../src/shared/wire';
import { t, words } from '../strings';

/** The sessions that were asked for so far, the newest first. */
export interface List {
  readonly sessions: readonly SessionInfo[];
  /** Where the next page begins; undefined at the end. */
  readonly nextCursor?: string;
}

export const emptyList: List = { sessions: [] };

/** Adds the page that follows. A session that moved meanwhile stays once. */
export function withPage(list: List, page: List): List {
  const known = new Set(list.sessions.map(({ sessionId }) => sessionId));
  return { ...page, sessions: sorted([...list.sessions, ...page.sessions.filter(({ sessionId }) => !known.has(sessionId))]) };
}

/** Puts what is new about a session into the list. One that is not in it is added if it belongs there. */
export function withSession(list: List, session: SessionInfo, belongs: boolean): List {
  const known = list.sessions.find(({ sessionId }) => sessionId === session.sessionId);
  if (!known && !belongs) {
    return list;
  }
  return { ...list, sessions: sorted([{ ...known, ...session }, ...list.sessions.filter(({ sessionId }) => sessionId !== session.sessionId)]) };
}

export function without(list: List, sessionId: string): List {
  return { ...list, sessions: list.sessions.filter((session) => session.sessionId !== sessionId) };
}

function sorted(sessions: readonly SessionInfo[]): SessionInfo[] {
  return sessions.toSorted((a, b) => Date.parse(b.updatedAt) - Date.parse(a.updatedAt));
}

export interface Day {
  label: string;
  sessions: readonly SessionInfo[];
}

/** Groups sessions: first those that the user waits for, or that wait for the user, then the others by day. */
export function grouped(sessions: readonly SessionInfo[], activity: (session: SessionInfo) => Activity, now: Date, language: string): Day[] {
  const first = sessions.filter((session) => activity(session) !== 'idle');
  const days = byDay(sessions.filter((session) => !first.includes(session)), now, language);
  return first.length === 0 ? days : [{ label: t(words.activeAndUnread), sessions: first }, ...days];
}

/** Groups sessions by the day of their last change, and older ones by month. */
export function byDay(sessions: readonly SessionInfo[], now: Date, language: string): Day[] {
  const days: { label: string; sessions: SessionInfo[] }[] = [];
  for (const session of sessions) {
    const label = dayOf(new Date(session.updatedAt), now, language);
    const last = days.at(-1);
    if (last?.label === label) {
      last.sessions.push(session);
    } else {
      days.push({ label, sessions: [session] });
    }
  }
  return days;
}

function dayOf(at: Date, now: Date, language: string): string {
  const ago = daysBetween(at, now);
  if (ago <= 0) {
    return t('Today');
  }
  if (ago === 1) {
    return t('Yesterday');
  }
  return at.toLocaleDateString(language, ago < 7 ? { weekday: 'long' } : { month: 'long', year: 'numeric' });
}

/** Days by the calendar, whatever the clock did in between. */
function daysBetween(a: Date, b: Date): number {
  const midnight = (at: Date): number => Date.UTC(at.getFullYear(), at.getMonth(), at.getDate());
  return (midnight(b) - midnight(a)) / 86_400_000;
}

/** The time of a session's last change, as its group leaves it open. */
export function timeOf(stamp: string, now: Date, language: string): string {
  const at = new Date(stamp);
  return daysBetween(at, now) < 7
    ? at.toLocaleTimeString(language, { hour: '2-digit', minute: '2-digit' })
    : at.toLocaleDateString(language, { day: 'numeric', month: 'short' });
}

/** What a user wants to know of a session first. */
export type Activity = 'asks' | 'review' | 'working' | 'unread' | 'idle';

/** `asks` is whether a question of the session is open here. */
export function activityOf({ status, pendingHunks = 0 }: SessionInfo, asks: boolean, unread: boolean): Activity {
  if (asks) {
    return 'asks';
  }
  switch (status) {
    case 'waiting':
      return pendingHunks > 0 ? 'review' : 'asks';
    case 'running':
      return 'working';
    default:
      return unread ? 'unread' : 'idle';
  }
}

/** The place that a key moves to in a list of so many; undefined for other keys. */
export function moved(key: string, index: number, count: number): number | undefined {
  const page = 10;
  const to = { ArrowDown: index + 1, ArrowUp: index - 1, PageDown: index + page, PageUp: index - page, Home: 0, End: count - 1 }[key];
  return to === undefined ? undefined : Math.max(0, Math.min(count - 1, to));
}
