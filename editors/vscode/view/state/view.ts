import { apply, fold, withEarlier, type Fold } from '../../src/shared/fold';
import type { ToView } from '../../src/shared/messages';
import { getState, setState } from './store';

type News = Extract<ToView, { type: 'view' | 'earlier' | 'changes' }>;

/** Takes what is new of the window's view, or of that of the session that is shown. */
export function changedView(news: News): void {
  if (news.sessionId === undefined) {
    setState({ window: after(getState().window, news) });
  } else if (news.sessionId === getState().sessionId) {
    setState({ view: after(getState().view, news) });
  }
}

function after(before: Fold, news: News): Fold {
  switch (news.type) {
    case 'view':
      return fold(news.view);
    case 'earlier':
      return withEarlier(before, news.earlier);
    case 'changes':
      return news.version > before.version ? apply(before, news.version, news.changes) : before;
  }
}
