import type { AskedQuestion } from '../../src/shared/messages';
import type { Entry } from './form';

/** What the user has entered for a question that is not answered yet. */
export interface Draft {
  sessionId: string;
  /** Whether that is a session beside the conversations. */
  aside?: true;
  /** What was asked, in one line. */
  asked: string;
  /** One for each question of a form. */
  entries: readonly Entry[];
  /** What a call is rejected with. */
  feedback: string;
}

export type Drafts = Readonly<Record<string, Draft>>;

/**
 * Names a question by what it asks: the numbers of questions begin again with
 * each window, and what was typed belongs to the same words.
 */
export function keyOf({ kind, request }: AskedQuestion): string {
  return kind === 'permission'
    ? JSON.stringify([kind, request.sessionId, request.toolCall.toolCallId, request.toolCall._meta?.emendo?.reason ?? ''])
    : JSON.stringify([kind, request.sessionId, request.toolCallId ?? '', request.questions.map(({ question }) => question)]);
}

/** Whose question it is. */
export function ownerOf({ aside, request: { sessionId } }: AskedQuestion): Pick<Draft, 'sessionId' | 'aside'> {
  return aside === undefined ? { sessionId } : { sessionId, aside: true };
}

/** The text of a draft that would be a pity to lose; choices are made again quickly. */
export function typed({ entries, feedback }: Draft): string {
  return [feedback, ...entries.map(({ text }) => text)].filter((text) => text.trim() !== '').join('\n\n');
}

/** The drafts of a session, and of those beside the conversations, whose questions are closed, with their keys. */
export function leftOver(drafts: Drafts, sessionId: string | undefined, open: ReadonlySet<string>): [key: string, draft: Draft][] {
  return Object.entries(drafts).filter(([key, draft]) => (draft.aside || draft.sessionId === sessionId) && !open.has(key) && typed(draft) !== '');
}

/** Drafts beyond this are forgotten, the oldest first. */
const most = 50;

/** The drafts with one more, another, or without one. */
export function withDraft(drafts: Drafts, key: string, draft: Draft | undefined): Drafts {
  const { [key]: _, ...others } = drafts;
  return Object.fromEntries([...Object.entries(others), ...(draft ? [[key, draft] as const] : [])].slice(-most));
}
