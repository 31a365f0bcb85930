import { host, keep, kept, post, RequestError, server } from '../bridge';
import { emptyFold, fold } from '../../src/shared/fold';
import type { SessionInfo } from '../../src/shared/wire';
import { getState, isStored, setState, type Screen } from './store';

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
    setState({ view: emptyFold, pending: [] });
    await load(sessionId);
  }
}

/** Shows an empty session; what is in the prompt box can come along. */
function showNone(carried: boolean): void {
  setState({ screen: 'chat', view: emptyFold, pending: [], loading: false, loadError: undefined });
  remember(undefined, carried);
}

/** Shows the session again that was shown, after the server was started again. */
export function reload(): void {
  const { sessionId, view } = getState();
  // A session without a prompt is not stored, and there is nothing to load.
  if (sessionId !== undefined && (view === emptyFold || isStored(getState()))) {
    void load(sessionId);
  } else if (sessionId !== undefined) {
    showNone(true);
  }
}

/**
 * Opens a session's view. What is shown stays until that has come, so that a
 * session that is loaded again does not blink.
 */
export async function load(sessionId: string): Promise<void> {
  remember(sessionId);
  setState({ loading: true, loadError: undefined });
  try {
    const view = await host('view', { sessionId });
    if (getState().sessionId === sessionId) {
      setState({ view: fold(view), loading: false, pending: [] });
    }
  } catch (error) {
    if (getState().sessionId !== sessionId) {
      return;
    }
    if (error instanceof RequestError && error.data?.code === 'unknown_session') {
      showNone(true); // it had no prompt and was not stored, or was deleted
    } else {
      setState({ loading: false, loadError: (error as Error).message });
    }
  }
}

/** Makes a session for the prompt that comes, in the mode and with the model that were chosen. */
export async function create(): Promise<string> {
  const { chosen } = getState();
  const { session } = await server<{ session: SessionInfo }>('emendo/session/new', chosen);
  setState({ view: emptyFold });
  remember(session.sessionId, true);
  setState({ view: fold(await host('view', { sessionId: session.sessionId })) });
  return session.sessionId;
}

/** Brings what is before the first item, once at a time. */
export async function loadEarlier(): Promise<void> {
  const { sessionId, view, loadingEarlier } = getState();
  if (sessionId === undefined || !view.earlier || loadingEarlier) {
    return;
  }
  setState({ loadingEarlier: true });
  await host('earlier', { sessionId }).catch(() => {}); // it is asked for again when the reader comes there again
  setState({ loadingEarlier: false });
}

/** Brings what is before the first item until an item is there. */
export async function loadUpTo(id: string): Promise<void> {
  const { sessionId } = getState();
  for (let size = -1; getState().sessionId === sessionId && !getState().view.items.has(id) && size < getState().view.items.size; ) {
    size = getState().view.items.size;
    await loadEarlier();
  }
}

function remember(sessionId: string | undefined, carried = false): void {
  setState({ sessionId, carried });
  const { sessionId: _, ...rest } = kept();
  keep(sessionId === undefined ? rest : { ...rest, sessionId });
  post(sessionId === undefined ? { type: 'showing' } : { type: 'showing', sessionId });
}
