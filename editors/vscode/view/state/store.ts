import type { EditorContext, ServerState, StoredDrafts, ViewSettings } from '../../src/shared/messages';
import { emptyFold, type Fold } from '../../src/shared/fold';
import type { Item, Question } from '../../src/shared/view';
import type { Drafts } from '../questions/drafts';
import type { ContentBlock, Mode } from '../../src/shared/wire';

/** What the view shows beside the conversation. */
export type Screen = 'chat' | 'sessions';

/** A prompt that was sent and is not in the conversation yet. */
export interface PendingPrompt {
  id: number;
  blocks: ContentBlock[];
  /** The last turn that was there before it. */
  after: string | undefined;
}

/** All that the view draws from. Values in it are replaced, never changed. */
export interface State {
  /** Whether `init` has come; until then there is nothing to draw. */
  ready: boolean;
  place: 'view' | 'editor';
  screen: Screen;
  /** The session that the view shows; undefined for one that begins with the next prompt. */
  sessionId: string | undefined;
  /** Whether what is in the prompt box came along to that session: it is the one before under another ID. */
  carried: boolean;
  /** Whether the session is being loaded. */
  loading: boolean;
  /** Whether what is before the first item is on its way. */
  loadingEarlier: boolean;
  /** Why the session could not be loaded. */
  loadError: string | undefined;
  /** The server's view of the session that is shown, and of the window. */
  view: Fold;
  window: Fold;
  pending: readonly PendingPrompt[];
  /** Whether the user searches the conversation. */
  finding: boolean;
  /** What is drawn meanwhile, to be searched: turns with the text, or all. */
  found: ReadonlySet<string> | 'all';
  /** What is entered for open questions, and was not sent for closed ones. */
  answers: Drafts;
  /** Why something that the user wanted did not work. */
  failure: Error | undefined;
  /** The sessions that have something new since a view showed them. */
  unread: readonly string[];
  server: ServerState;
  modes: readonly Mode[];
  /** Chosen for the next session, while there is none. */
  chosen: { mode?: string; model?: string };
  editorContext: EditorContext;
  settings: ViewSettings;
  /** The paths of the workspace's folders. */
  folders: readonly string[];
  /** The drafts and the history of prompts as they were stored when the view began. */
  drafts: StoredDrafts;
  history: readonly string[];
}

const initial: State = {
  ready: false,
  place: 'view',
  screen: 'chat',
  sessionId: undefined,
  carried: false,
  loading: false,
  loadingEarlier: false,
  loadError: undefined,
  view: emptyFold,
  window: emptyFold,
  pending: [],
  finding: false,
  found: new Set(),
  answers: {},
  failure: undefined,
  unread: [],
  server: { state: 'stopped' },
  modes: [],
  chosen: {},
  editorContext: {},
  settings: { sendOnEnter: true, expandThoughts: false },
  folders: [],
  drafts: {},
  history: [],
};

let state = initial;
const listeners = new Set<() => void>();

export function getState(): State {
  return state;
}

/** Replaces parts of the state and tells everyone who listens, at once. */
export function setState(part: Partial<State>): void {
  state = { ...state, ...part };
  for (const listener of [...listeners]) {
    listener();
  }
}

export function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The newest turn. */
export function lastTurn({ view: { items, below } }: State): Item | undefined {
  const id = below.get('')?.findLast((id) => items.get(id)?.kind === 'turn');
  return id === undefined ? undefined : items.get(id);
}

/** The turn that runs, if one does. */
export function runningTurn(state: State): Item | undefined {
  const last = lastTurn(state);
  return last?.state === 'running' ? last : undefined;
}

/** Whether a turn runs, or a prompt is on its way. */
export function isRunning(state: State): boolean {
  return state.pending.length > 0 || runningTurn(state) !== undefined;
}

/** Whether the conversation has anything. */
export function isStored({ view }: State): boolean {
  return view.items.size > 0;
}

/** The mode that the next call is decided in. */
export function currentMode({ view: { session }, chosen }: State): string {
  return session?.mode ?? chosen.mode ?? 'default';
}

/** The model that was chosen; the one that answered is in the turn. */
export function currentModel({ view: { session }, chosen }: State): string {
  return session?.model ?? chosen.model ?? 'auto';
}

/** The questions of the session that is shown, and those of sessions beside the conversations, which every view shows. */
export function sessionQuestions({ window: { questions }, sessionId }: State): Question[] {
  return questions.filter((question) => !isOfList(question) && (question.from || question.sessionId === undefined || question.sessionId === sessionId));
}

/** Whether a question stands in the list of sessions, and not in a conversation. */
export function isOfList({ code }: Question): boolean {
  return code === 'delete_session';
}
