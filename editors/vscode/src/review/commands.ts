import * as vscode from 'vscode';
import type { ChatViews } from '../chat/views';
import { registerCommands } from '../told';
import { announce } from './announce';
import type { Changes } from './changes';
import type { Cursor } from './cursor';
import type { Decider } from './decide';
import type { Diffs } from './diffs';
import type { Documents } from './documents';
import { askReason } from './reason';
import type { ReviewHunk } from './store';
import { counts, shortPath } from './summary';
import type { OwnTabs } from './tabs';
import type { Threads } from './threads';
import type { Node } from './tree';
import { parseVirtual } from './virtual';

/** What the commands work on. */
export interface Review {
  changes: Changes;
  cursor: Cursor;
  decider: Decider;
  diffs: Diffs;
  documents: Documents;
  tabs: OwnTabs;
  threads: Threads;
  views: ChatViews;
}

/** What a command may be called with: a hunk's ID, a thread, or a node of the tree. */
type Argument = string | vscode.CommentThread | Node | undefined;

/** Registers the commands of the review. */
export function registerReviewCommands(log: vscode.LogOutputChannel, review: Review): vscode.Disposable {
  const { changes, diffs } = review;
  const commands: Record<string, (argument: Argument) => Promise<unknown>> = {
    'emendo.acceptHunk': (argument) => accept(review, argument),
    'emendo.rejectHunk': (argument) => reject(review, argument),
    'emendo.rejectHunkWithReason': (argument) => onHunk(review, argument, (h) => rejectWithReason(review, argument, [h], vscode.l10n.t('Reject this change'))),
    'emendo.showHunk': (argument) => onHunk(review, argument, (h) => diffs.showFile(h.uri, h)),
    'emendo.editHunk': (argument) => onHunk(review, argument, (h) => diffs.edit(h)),
    'emendo.openHunk': (argument) => onHunk(review, argument, (h) => diffs.open(h)),
    'emendo.acceptFile': (argument) => onFile(review, argument, (uri) => decideAll(review, argument, changes.store.hunks(uri, ['pending']), 'accept')),
    'emendo.rejectFile': (argument) => onFile(review, argument, (uri) => decideAll(review, argument, rejectable(review, uri), 'reject')),
    'emendo.rejectFileWithReason': (argument) =>
      onFile(review, argument, (uri) => rejectWithReason(review, argument, rejectable(review, uri), vscode.l10n.t('Reject all changes in {0}', shortPath(uri)))),
    'emendo.showFile': (argument) => onFile(review, argument, (uri) => diffs.showFile(uri)),
    'emendo.acceptAll': (argument) => decideAll(review, argument, everything(review), 'accept'),
    'emendo.rejectAll': (argument) => decideAll(review, argument, everything(review), 'reject'),
    'emendo.rejectAllWithReason': (argument) => rejectWithReason(review, argument, everything(review), vscode.l10n.t('Reject all changes')),
    'emendo.showChanges': () => diffs.showPending(),
    'emendo.review': () => first(review),
    'emendo.nextHunk': () => go(review, 1),
    'emendo.previousHunk': () => go(review, -1),
  };
  return registerCommands(log, commands);
}

/** Moves to the pending hunk after the cursor or before it. */
export async function go({ cursor, diffs }: Pick<Review, 'cursor' | 'diffs'>, step: 1 | -1): Promise<void> {
  const found = await cursor.neighbour(step);
  if (!found) {
    announce(vscode.l10n.t('No change is pending.'));
    return;
  }
  const { h, index, count } = found;
  await diffs.open(h);
  announce(vscode.l10n.t('Change {0} of {1}: {2} in {3}', index + 1, count, counts([h]), shortPath(h.uri)));
}

/** Moves to the first pending hunk of the session that is shown, or of all. */
async function first(review: Review): Promise<void> {
  const h = review.changes.store.pending(review.views.sessionId)[0] ?? review.changes.store.pending()[0];
  await (h ? review.diffs.open(h) : go(review, 1));
}

async function hunkOf({ changes, cursor, threads }: Review, argument: Argument): Promise<ReviewHunk | undefined> {
  if (argument === undefined) {
    return cursor.hunk();
  }
  if (typeof argument === 'string') {
    return changes.store.hunk(argument);
  }
  if ('h' in argument) {
    return argument.h;
  }
  const id = 'comments' in argument ? threads.hunkOf(argument) : undefined;
  return id === undefined ? undefined : changes.store.hunk(id);
}

async function onHunk(review: Review, argument: Argument, run: (h: ReviewHunk) => Promise<void>): Promise<void> {
  const h = await hunkOf(review, argument);
  if (!h) {
    announce(vscode.l10n.t('There is no change at the cursor.'));
    return;
  }
  await run(h);
  if (typeof argument === 'object' && 'comments' in argument) {
    // The thread had the focus, and is gone.
    await vscode.commands.executeCommand('workbench.action.focusActiveEditorGroup');
  }
}

async function onFile(review: Review, argument: Argument, run: (uri: string) => Promise<void>): Promise<void> {
  const uri = isNode(argument) && 'uri' in argument ? argument.uri : review.cursor.file();
  if (uri === undefined || review.changes.store.hunks(uri, ['pending', 'applied']).length === 0) {
    announce(vscode.l10n.t('No change is pending in this file.'));
    return;
  }
  await run(uri);
}

async function accept(review: Review, argument: Argument): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  const virtual = editor && parseVirtual(editor.document.uri);
  if (argument === undefined && virtual?.kind === 'edit') {
    const { document } = editor!;
    if (document.isDirty) {
      await document.save(); // that accepts it, and VS Code tells what is wrong
      return;
    }
    const problem = await review.documents.acceptWith(virtual.hunkId, document.getText());
    if (problem !== undefined) {
      throw new Error(problem);
    }
    return;
  }
  await onHunk(review, argument, (h) => decide(review, argument, h, 'accept'));
}

async function reject(review: Review, argument: Argument): Promise<void> {
  const undone = argument === undefined && !(await review.cursor.hunk()) ? review.cursor.accepted() : undefined;
  if (undone) {
    await review.decider.decide([undone], undone.hunk.reviewed === false ? 'reject' : 'reopen');
    return;
  }
  await onHunk(review, argument, async (h) => {
    if (h.hunk.state === 'conflicted') {
      review.changes.store.dismiss(h.id);
    } else {
      await decide(review, argument, h, 'reject');
    }
  });
}

/** What rejecting a file means: its pending hunks, or else those that were applied without a question. */
function rejectable({ changes: { store } }: Review, uri: string): ReviewHunk[] {
  const pending = store.hunks(uri, ['pending']);
  return pending.length > 0 ? pending : store.hunks(uri, ['applied']);
}

/** The pending hunks of the session that is shown, or of all sessions if it has none. */
function everything({ changes: { store }, views }: Review): ReviewHunk[] {
  const session = views.sessionId;
  const own = session === undefined ? [] : store.pending(session);
  return own.length > 0 ? own : store.pending();
}

/** Rejects hunks with a reason for the model, those of them that are not decided while it is written. */
async function rejectWithReason(review: Review, argument: Argument, hunks: ReviewHunk[], what: string): Promise<void> {
  const states = new Map(hunks.map((h) => [h, h.hunk.state]));
  const reason = hunks.length === 0 ? '' : await askReason(what);
  if (reason === undefined) {
    return;
  }
  const [first, ...more] = hunks.filter((h) => h.hunk.state === states.get(h));
  await (first && more.length === 0 ? decide(review, argument, first, 'reject', reason) : decideAll(review, argument, first ? [first, ...more] : [], 'reject', reason));
}

async function decideAll(review: Review, argument: Argument, hunks: ReviewHunk[], action: 'accept' | 'reject', reason?: string): Promise<void> {
  if (hunks.length === 0) {
    announce(vscode.l10n.t('No change is pending.'));
    return;
  }
  keepFocus(review, argument, hunks);
  await review.decider.decideAll(hunks, action, reason);
}

async function decide(review: Review, argument: Argument, h: ReviewHunk, action: 'accept' | 'reject', reason?: string): Promise<void> {
  keepFocus(review, argument, [h]);
  await review.decider.decide([h], action, reason);
}

/** Has the focus stay in the editors, if their tab is closed, unless the command was chosen in the list. */
function keepFocus({ tabs }: Review, argument: Argument, hunks: ReviewHunk[]): void {
  if (!isNode(argument)) {
    tabs.decides(new Set(hunks.map(({ uri }) => uri)));
  }
}

function isNode(argument: Argument): argument is Node {
  return typeof argument === 'object' && ('h' in argument || ('uri' in argument && typeof argument.uri === 'string'));
}
