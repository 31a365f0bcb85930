import { apply, fold, withEarlier, type Fold } from '../../src/shared/fold';
import type { ToView } from '../../src/shared/messages';
import { load } from './sessions';
import { getState, lastTurn, setState, type State } from './store';

type News = Extract<ToView, { type: 'view' | 'earlier' | 'changes' }>;

let arrived: News[] = [];
let scheduled = false;

/** Takes what is new of the window's view, or of that of the session that is shown. What comes within a frame is drawn together. */
export function changed(news: News): void {
  if (news.sessionId === undefined) {
    setState({ window: after(getState().window, news) ?? getState().window });
  } else if (news.sessionId === getState().sessionId) {
    arrived.push(news);
    schedule();
  }
}

/** Returns a view with what is new of it; undefined if something before that is missing. */
function after(before: Fold, news: News): Fold | undefined {
  switch (news.type) {
    case 'view':
      return fold(news.view);
    case 'earlier':
      return withEarlier(before, news.earlier);
    case 'changes':
      return news.version === before.version + 1 ? apply(before, news.version, news.changes) : news.version > before.version ? undefined : before;
  }
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
    setTimeout(draw);
    return;
  }
  const wait = next - performance.now();
  if (wait > 4) {
    setTimeout(() => requestAnimationFrame(frame), wait);
  } else {
    requestAnimationFrame(frame);
  }
}

/** Draws what has arrived, and measures until the frame is over how long that takes. */
function frame(): void {
  const began = performance.now();
  next = began + pace;
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    const took = performance.now() - began;
    next = performance.now() + Math.min(250, Math.max(pace - took, took));
    port1.close();
  };
  draw();
  port2.postMessage(undefined);
}

/** Takes what has arrived into the state. */
export function draw(): void {
  scheduled = false;
  const { sessionId, loading } = getState();
  let { view } = getState();
  for (const news of arrived.splice(0)) {
    const now = news.sessionId === sessionId ? after(view, news) : view;
    if (now) {
      view = now;
    } else if (!loading && sessionId !== undefined) {
      void load(sessionId);
      return;
    }
  }
  setState(withView(getState(), view));
}

/** What changes of the state with the view: prompts that are in it now are not on their way any more. */
export function withView(state: State, view: Fold): Pick<State, 'view' | 'pending'> {
  const last = lastTurn({ ...state, view });
  const prompted = last && view.below.get(last.id)?.some((id) => view.items.get(id)?.kind === 'user');
  return { view, pending: prompted ? state.pending.filter(({ after }) => after === last.id) : state.pending };
}
