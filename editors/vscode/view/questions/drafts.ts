import type { Question } from '../../src/shared/view';
import type { Entries } from './entries';

/** What the user has entered for a question that is not answered yet. */
export interface Draft {
  sessionId?: string;
  /** Whether every view shows the question. */
  aside?: true;
  /** What was asked, in one line. */
  asked: string;
  /** By the ids of the fields. */
  entries: Entries;
}

/** By the ids of the questions. */
export type Drafts = Readonly<Record<string, Draft>>;

/** The draft of what was entered for a question. */
export function draftOf({ sessionId, from, brief }: Question, entries: Entries): Draft {
  return { ...(sessionId !== undefined && { sessionId }), ...((from || sessionId === undefined) && { aside: true }), asked: brief.text, entries };
}

/** The text of a draft that would be a pity to lose; choices are made again quickly. */
export function typed({ entries }: Draft): string {
  return Object.values(entries)
    .map(({ text }) => text)
    .filter((text) => text.trim() !== '')
    .join('\n\n');
}

/** The drafts of a session, and of those beside the conversations, whose questions are closed, with their keys. */
export function leftOver(drafts: Drafts, sessionId: string | undefined, open: ReadonlySet<string>): [key: string, draft: Draft][] {
  return Object.entries(drafts).filter(([key, draft]) => (draft.aside || draft.sessionId === sessionId) && !open.has(key) && typed(draft) !== '');
}

/** The drafts with one more, another, or without one; of more than `most` the oldest are forgotten. */
export function withDraft<T>(drafts: Readonly<Record<string, T>>, key: string, draft: T | undefined, most = 50): Readonly<Record<string, T>> {
  const { [key]: _, ...others } = drafts;
  return Object.fromEntries([...Object.entries(others), ...(draft === undefined ? [] : [[key, draft] as const])].slice(-most));
}
