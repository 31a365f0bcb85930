import * as vscode from 'vscode';
import type { ChatViews } from '../chat/views';
import type { Server } from '../server/server';
import type { ServerViews } from '../server/views';
import { Changes } from './changes';
import { Comments } from './comments';
import { registerReviewCommands, type Review } from './commands';
import { Cursor } from './cursor';
import { Decider } from './decide';
import { Diffs } from './diffs';
import { Documents } from './documents';
import { Lenses } from './lenses';
import { Marks } from './marks';
import { Threads } from './threads';
import { OwnTabs } from './tabs';
import { ChangesTree } from './tree';
import { Near } from './near';
import { scheme } from './virtual';

/** Registers the review of proposed changes in the editor. */
export function registerReview(
  context: vscode.ExtensionContext,
  { server, open, views, log }: { server: Server; open: ServerViews; views: ChatViews; log: vscode.LogOutputChannel },
): void {
  const changes = new Changes(server, open, (sessions) => reload(server, views, sessions, log));
  const decider = new Decider(open);
  const documents = new Documents(server, open, changes, (id, text) =>
    decider.decide({ id, version: open.window.version, hunks: [changes.store.hunk(id) ?? []].flat() }, { id: 'edit' }, { text }),
  );
  const cursor = new Cursor(changes, documents);
  const tabs = new OwnTabs(changes, log);
  const diffs = new Diffs(changes, tabs);
  const threads = new Threads(changes);
  const near = new Near();
  const lenses = new Lenses(open, changes, near);
  const tree = new ChangesTree(changes);
  const review: Review = { server, open, changes, cursor, decider, diffs, documents, tabs, threads, views };
  context.subscriptions.push(
    changes,
    documents,
    cursor,
    near,
    tabs,
    new Marks(changes, near),
    threads,
    lenses,
    tree,
    new Comments(server, views, log),
    vscode.workspace.registerFileSystemProvider(scheme, documents, { isCaseSensitive: true }),
    vscode.languages.registerCodeLensProvider([{ scheme: 'file' }, { scheme: 'untitled' }, { scheme }], lenses),
    vscode.window.registerTreeDataProvider('emendo.changes', tree),
    registerReviewCommands(log, review),
  );
}

/** Loads sessions whose pending hunks the server forgot when it ended; those in a view are loaded there. */
function reload(server: Server, views: ChatViews, sessions: ReadonlySet<string>, log: vscode.LogOutputChannel): void {
  for (const sessionId of sessions) {
    if (!views.shows(sessionId)) {
      server.request('emendo/session/load', { sessionId }).catch((error: unknown) => log.error(`load session ${sessionId}: ${String(error)}`));
    }
  }
}
