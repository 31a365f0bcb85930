import { keep, kept, post, RequestError, server } from '../bridge';
import type { RewindResult, SessionInfo } from '../../src/shared/wire';
import { loadChanges } from './changes';
import { emptyConversation, type Conversation } from './conversation';
import { reduce } from './reduce';
import { getState, setState, type Screen } from './store';
import { beginLoad, endLoad } from './updates';

/** Shows another screen of the view. */
export function showScreen(screen: Screen): void {
  setState({ screen });
}

/** Shows a session, or without an ID an empty one that begins with the next prompt. */
export async function show(sessionId?: string): Promise<void> {
  if (sessionId === undefined) {
    showNone(false);
    return;
  }
  setState({ screen: 'chat' });
  if (sessionId !== getState().sessionId || getState().loadError !== undefined) {
    setState({ session: undefined, conversation: emptyConversation, pending: [], changes: new Map() });
    await load(sessionId);
  }
}

/** Shows an empty session; what is in the prompt box can come along. */
function showNone(carried: boolean): void {
  setState({ screen: 'chat', session: undefined, conversation: emptyConversation, pending: [], changes: new Map(), loading: false, loadError: undefined });
  remember(undefined, carried);
}

/** Shows the session again that was shown, after the server was started again. */
export function reload(): void {
  const { sessionId, session, conversation } = getState();
  // A session without a prompt is not stored, and there is nothing to load.
  if (sessionId !== undefined && (session === undefined || conversation.turns.length > 0)) {
    void load(sessionId);
  } else if (sessionId !== undefined) {
    showNone(true);
  }
}

/**
 * Loads a session's history. What is shown stays until all of it has come, so
 * that a session that is loaded again does not blink.
 */
export async function load(sessionId: string): Promise<void> {
  remember(sessionId);
  setState({ loading: true, loadError: undefined });
  const history = beginLoad(sessionId);
  const [answer, error] = await server<{ session: SessionInfo }>('emendo/session/load', { sessionId }).then(
    (answer) => [answer, undefined] as const,
    (error: Error) => [undefined, error] as const,
  );
  const loaded = endLoad(history);
  if (!loaded || getState().sessionId !== sessionId) {
    return; // another load goes on, or another session is shown
  }
  if (answer) {
    setState({ session: answer.session, conversation: settle(loaded, answer.session), loading: false, pending: [] });
    await loadChanges(sessionId).catch((error: Error) => setState({ loadError: error.message }));
  } else if (error instanceof RequestError && error.data?.code === 'unknown_session') {
    showNone(true); // it had no prompt and was not stored, or was deleted
  } else {
    setState({ loading: false, loadError: error.message });
  }
}

/** Makes the session's last turn a running one if the server says that it runs. */
function settle(conversation: Conversation, session: SessionInfo): Conversation {
  const last = conversation.turns.at(-1);
  if (!last || last.end || session.status === undefined || session.status === 'idle') {
    return conversation;
  }
  return { ...conversation, turns: [...conversation.turns.slice(0, -1), { ...last, state: 'running' }] };
}

/** Makes a session for the prompt that comes, in the mode and with the model that were chosen. */
export async function create(): Promise<string> {
  const { chosen } = getState();
  const { session } = await server<{ session: SessionInfo }>('emendo/session/new', chosen);
  setState({ session, conversation: emptyConversation, changes: new Map() });
  remember(session.sessionId, true);
  return session.sessionId;
}

/** Continues in a copy of the session up to a turn; up to now without one. */
export async function fork(turnId?: string): Promise<void> {
  const { sessionId } = getState();
  const params = turnId === undefined ? { sessionId } : { sessionId, turnId };
  const { session } = await server<{ session: SessionInfo }>('emendo/session/fork', params);
  await show(session.sessionId);
}

export type RewindScope = 'files' | 'conversation' | 'both';

/** Says what a rewind to before a turn's prompt would change. */
export function previewRewind(turnId: string, scope: RewindScope): Promise<RewindResult> {
  return server<RewindResult>('emendo/session/rewind', { sessionId: getState().sessionId, turnId, scope, dryRun: true });
}

/** Goes back to before a turn's prompt. */
export async function rewind(turnId: string, scope: RewindScope): Promise<RewindResult> {
  const { sessionId } = getState();
  const result = await server<RewindResult>('emendo/session/rewind', { sessionId, turnId, scope });
  if (scope !== 'files' && sessionId === getState().sessionId) {
    const { conversation } = getState();
    setState({ conversation: reduce(conversation, [{ sessionId: sessionId!, update: { sessionUpdate: '_emendo/rewound', turnId } }]) });
  }
  return result;
}

function remember(sessionId: string | undefined, carried = false): void {
  setState({ sessionId, carried });
  const { sessionId: _, ...rest } = kept();
  keep(sessionId === undefined ? rest : { ...rest, sessionId });
  post(sessionId === undefined ? { type: 'showing' } : { type: 'showing', sessionId });
}
