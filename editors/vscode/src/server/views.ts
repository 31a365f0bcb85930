import * as vscode from 'vscode';
import { actionOf, apply, emptyFold, fold, unfold, withEarlier, type Fold } from '../shared/fold';
import type { Act, Acted, Place, View, ViewDidChange } from '../shared/view';
import type { Server } from './server';

/** What is new of a view that is open: all of it, changes, or the page before what was there. Without a session it is the window's. */
export type ViewNews = { sessionId?: string } & ({ view: View } | { earlier: View } | Omit<ViewDidChange, 'sessionId'>);

/** How many hunks the window's view comes with; the others follow, as many at a time. */
const mostHunks = 500;

interface Open {
  fold: Fold;
  /** The answer that is waited for; what comes meanwhile is in `early`. */
  getting: Promise<View> | undefined;
  early: ViewDidChange[];
}

/**
 * The server's views that are open: the window's, and those of the sessions that
 * chat views show. They are folded here, once for all who read them.
 */
export class ServerViews implements vscode.Disposable {
  private readonly news = new vscode.EventEmitter<ViewNews>();
  /** Fires when a view is another, after its fold is. */
  readonly onDidChange = this.news.event;
  private readonly open = new Map<string, Open>();
  private readonly disposables: vscode.Disposable[];

  constructor(
    private readonly server: Server,
    private readonly log: vscode.LogOutputChannel,
  ) {
    this.disposables = [
      this.news,
      server.onNotification<ViewDidChange>('emendo/view/didChange', (change) => this.take(change)),
      server.onDidChangeState(({ state }) => {
        if (state === 'running') {
          this.getAgain('');
        } else if (this.open.size > 0) {
          this.open.clear(); // who shows a session shows it again when a server runs
          this.news.fire({ view: unfold(emptyFold) });
        }
      }),
    ];
  }

  /** The window's view; an empty one while no server runs. */
  get window(): Fold {
    return this.open.get('')?.fold ?? emptyFold;
  }

  /** The view of a session, while it is open. */
  session(sessionId: string): Fold | undefined {
    return this.open.get(sessionId)?.fold;
  }

  /** Opens the view of a session, where it is not, and returns all that is known of it. */
  async show(sessionId: string): Promise<View> {
    const view = this.open.get(sessionId);
    return view && !view.getting ? { ...unfold(view.fold), sessionId } : this.get(sessionId);
  }

  /** Brings the page before the first item of a session's view. */
  async earlier(sessionId: string): Promise<void> {
    const view = this.open.get(sessionId);
    if (!view?.fold.earlier) {
      return;
    }
    const before = firstOf(view.fold);
    const page = await this.server.request<View>('emendo/view/get', { sessionId, before, bodies: true });
    if (this.open.get(sessionId) === view && firstOf(view.fold) === before) { // else it was got again meanwhile
      view.fold = withEarlier(view.fold, page);
      this.news.fire({ sessionId, earlier: page });
    }
  }

  /** Closes the views of all sessions but these. */
  keep(sessions: ReadonlySet<string>): void {
    for (const sessionId of this.open.keys()) {
      if (sessionId !== '' && !sessions.has(sessionId)) {
        this.open.delete(sessionId);
        if (this.server.state.state === 'running') {
          this.server.request('emendo/view/close', { sessionId }).catch((error: unknown) => this.log.debug(String(error)));
        }
      }
    }
  }

  /** Does what the user chose. What it needs of the editor is in the steps of the answer. */
  async act(act: Act): Promise<Acted> {
    const view = this.open.get(act.sessionId ?? '')?.fold;
    const known = view && actionOf(view, act.id, act.actionId);
    return known?.steps ? { steps: known.steps } : this.server.request<Acted>('emendo/view/act', act);
  }

  /** Reports whether an item or a question with an id names a file. */
  names(id: string | undefined, { uri, newUri }: Place): boolean {
    return [...this.open.values()].some(({ fold: { items, questions } }) => {
      const { lines = [], parts = [] } = items.get(id ?? '') ?? questions.find((question) => question.id === id) ?? {};
      return [...lines, ...parts].some(({ place }) => place?.uri === uri && place.newUri === newUri);
    });
  }

  dispose(): void {
    this.disposables.forEach((disposable) => disposable.dispose());
  }

  /** Gets a view from the server, once for all who want it meanwhile. */
  private get(of: string): Promise<View> {
    const view: Open = this.open.get(of) ?? { fold: emptyFold, getting: undefined, early: [] };
    this.open.set(of, view);
    view.getting ??= this.answer(of, view).finally(() => (view.getting = undefined));
    return view.getting;
  }

  private async answer(of: string, view: Open): Promise<View> {
    view.early = [];
    try {
      const got = await this.server.request<View>('emendo/view/get', of === '' ? { limit: mostHunks } : { sessionId: of, bodies: true });
      view.fold = fold(got);
    } catch (error) {
      if (this.open.get(of) === view) {
        this.open.delete(of);
      }
      throw error;
    }
    view.early.filter(({ version }) => version > view.fold.version).forEach(({ version, changes }) => (view.fold = apply(view.fold, version, changes)));
    const all = { ...unfold(view.fold), ...named(of) };
    this.news.fire({ ...named(of), view: all });
    return all;
  }

  private take(change: ViewDidChange): void {
    const { sessionId = '', version, changes } = change;
    const view = this.open.get(sessionId);
    if (!view) {
      return;
    }
    if (view.getting) {
      view.early.push(change);
    } else if (version === view.fold.version + 1) {
      view.fold = apply(view.fold, version, changes);
      this.news.fire({ ...named(sessionId), version, changes });
      if (view.fold.earlier && firstOf(view.fold) === '') {
        this.getAgain(sessionId); // all that it had is gone, and there is more
      }
    } else if (version > view.fold.version) {
      this.log.warn(`emendo/view/didChange ${sessionId}: ${view.fold.version}, ${version}`);
      this.getAgain(sessionId);
    }
  }

  private getAgain(of: string): void {
    this.get(of).catch((error: unknown) => this.log.error(`emendo/view/get: ${String(error)}`));
  }
}

/** The item before which there may be more: parents may have come along with their children. Empty for a view without items. */
function firstOf(view: Fold, top = ''): string {
  const child = view.below.get(top)?.[0];
  return child === undefined ? top : firstOf(view, child);
}

function named(sessionId: string): { sessionId?: string } {
  return sessionId === '' ? {} : { sessionId };
}
