import { server } from '../bridge';
import type { ContentBlock, SessionUpdate } from '../../src/shared/wire';
import { emptyConversation, type Conversation } from './conversation';
import { History } from './history';
import { bySeq, inOrder } from './order';
import { reduce } from './reduce';
import { getState, setState } from './store';

let arrived: SessionUpdate[] = [];
let scheduled = false;
/** What has come of the session that is being loaded. */
let loading: History | undefined;
let fetching = false;

/** Takes an update. Those that come within a frame are drawn together. */
export function take(update: SessionUpdate): void {
  if (loading?.sessionId === update.sessionId) {
    loading.take(update);
    return;
  }
  if (update.sessionId === getState().sessionId) {
    arrived.push(update);
    schedule();
  }
}

/** Begins to collect a session's history in place of showing it as it comes. */
export function beginLoad(sessionId: string): History {
  loading = new History(sessionId);
  arrived = [];
  return loading;
}

/** Ends what beginLoad began. It returns undefined if another load has begun since. */
export function endLoad(history: History): Conversation | undefined {
  if (loading !== history) {
    return undefined;
  }
  loading = undefined;
  return reduce(emptyConversation, history.updates());
}

/** The least time between two drawings; nobody reads faster. */
const pace = 30;
/** When the next drawing may begin: one that took long leaves time for the user. */
let next = 0;

function schedule(): void {
  if (scheduled) {
    return;
  }
  scheduled = true;
  // A page that cannot be seen has no frames.
  if (document.hidden) {
    setTimeout(flush);
    return;
  }
  const wait = next - performance.now();
  if (wait > 4) {
    setTimeout(() => requestAnimationFrame(draw), wait);
  } else {
    requestAnimationFrame(draw);
  }
}

/** Draws what has arrived, and measures until the frame is over how long that takes. */
function draw(): void {
  const began = performance.now();
  next = began + pace;
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    const took = performance.now() - began;
    next = performance.now() + Math.min(250, Math.max(pace - took, took));
    port1.close();
  };
  flush();
  port2.postMessage(undefined);
}

function flush(): void {
  scheduled = false;
  const { sessionId, conversation } = getState();
  const updates = arrived.filter((update) => update.sessionId === sessionId);
  arrived = [];
  const { ready, late } = inOrder(conversation.lastSeq, updates);
  if (late.length > 0 && sessionId !== undefined) {
    arrived = late;
    fetchMissing(sessionId, conversation.lastSeq + ready.filter(({ seq }) => seq !== undefined).length + 1);
  }
  apply(ready);
}

/** Whether an echoed block is the one that was sent; the server may add to it. */
function same(sent: ContentBlock | undefined, echoed: ContentBlock): boolean {
  const essence = (block: ContentBlock | undefined): unknown =>
    block && ('text' in block ? block.text : 'data' in block ? block.data : 'uri' in block ? block.uri : block.type);
  return essence(sent) === essence(echoed);
}

/** Asks for updates that have not come, and goes on without them if there are none. */
function fetchMissing(sessionId: string, fromSeq: number): void {
  if (fetching) {
    return;
  }
  fetching = true;
  const go = (missing: SessionUpdate[]): void => {
    fetching = false;
    if (getState().sessionId === sessionId) {
      const all = [...missing, ...arrived.filter((update) => update.sessionId === sessionId)];
      arrived = [];
      apply(bySeq(all));
    }
  };
  server<{ updates: SessionUpdate[] }>('emendo/session/replay', { sessionId, fromSeq }).then(
    ({ updates }) => go(updates),
    () => go([]),
  );
}

function apply(updates: readonly SessionUpdate[]): void {
  const { conversation, pending, session } = getState();
  const next = reduce(conversation, updates);
  const part: Partial<ReturnType<typeof getState>> = {};
  if (next !== conversation) {
    part.conversation = next;
  }
  for (const { update, replay } of updates) {
    if (update.sessionUpdate === 'user_message_chunk' && !replay) {
      const waiting = part.pending ?? pending;
      const echoed = waiting.findIndex(({ blocks }) => same(blocks[0], update.content));
      if (echoed >= 0) {
        part.pending = waiting.toSpliced(echoed, 1);
      }
    }
    if (update.sessionUpdate === 'session_info_update' && session) {
      part.session = { ...(part.session ?? session), ...(update.title === undefined ? {} : { title: update.title }), ...update._meta?.emendo };
    }
  }
  setState(part);
}
