import * as vscode from 'vscode';
import type { ChatViews } from '../chat/views';
import type { Server } from '../server/server';
import type { ServerViews } from '../server/views';
import { named } from '../shared/fold';
import type { Action } from '../shared/view';
import type { Range } from '../shared/wire';
import { words } from '../shared/words';
import { registerCommands } from '../told';
import { announce } from './announce';
import { covered, type Changes } from './changes';
import { covers, rowOf, type Cursor } from './cursor';
import type { Decider, Subject } from './decide';
import type { Diffs } from './diffs';
import type { Documents } from './documents';
import type { ReviewFile, ReviewHunk } from './store';
import { shortPath } from './summary';
import type { OwnTabs } from './tabs';
import type { Threads } from './threads';
import type { Node } from './tree';
import { parseVirtual } from './virtual';

/** What the commands work on. */
export interface Review {
  server: Server;
  open: ServerViews;
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

/** Registers the commands of the review. Of several actions the first is done that is offered. */
export function registerReviewCommands(log: vscode.LogOutputChannel, review: Review): vscode.Disposable {
  const { diffs } = review;
  const hunk = (...actions: string[]) => (argument: Argument) => withHunk(review, argument, (h) => onHunk(review, argument, h, actions));
  const file = (...actions: string[]) => (argument: Argument) =>
    withFile(review, argument, ({ item, hunks }) => choose(review, argument, { id: item.id, hunks }, item.actions, actions));
  const commands: Record<string, (argument: Argument, action: string) => unknown> = {
    'emendo.acceptHunk': async (argument) => (await acceptEdited(review, argument)) || hunk('accept', 'keep')(argument),
    'emendo.rejectHunk': async (argument) => (await reopenAtCursor(review, argument)) || hunk('reject', 'undo', 'dismiss')(argument),
    'emendo.rejectHunkWithReason': hunk('rejectWhy'),
    'emendo.actOnHunk': (argument, action) => hunk(action)(argument),
    'emendo.showHunk': hunk('show'),
    'emendo.editHunk': hunk('edit'),
    'emendo.openHunk': (argument) => withHunk(review, argument, (h) => diffs.open(h)),
    'emendo.acceptFile': file('accept', 'keep'),
    'emendo.rejectFile': file('reject', 'undo', 'dismiss'),
    'emendo.rejectFileWithReason': file('rejectWhy'),
    'emendo.showFile': (argument) => withFile(review, argument, (file) => diffs.showFile(file)),
    'emendo.acceptAll': (argument) => onAll(review, argument, { pending: 'acceptAll', unreviewed: 'keepAll' }),
    'emendo.rejectAll': (argument) => onAll(review, argument, { pending: 'rejectAll', unreviewed: 'undoAll' }),
    'emendo.rejectAllWithReason': (argument) => onAll(review, argument, { pending: 'rejectAll' }, review.open.window.verbs.get('rejectWhy')),
    'emendo.showChanges': () => diffs.showPending(),
    'emendo.review': () => first(review),
    'emendo.nextHunk': () => go(review, 1),
    'emendo.previousHunk': () => go(review, -1),
  };
  return registerCommands(log, commands);
}

/** Moves to the pending hunk after the cursor or before it. */
async function go({ cursor, diffs }: Review, step: 1 | -1): Promise<void> {
  const found = cursor.neighbour(step);
  if (!found) {
    announce(vscode.l10n.t(words.noChange));
    return;
  }
  const { h, index, count } = found;
  await diffs.open(h);
  announce(vscode.l10n.t(words.changeOf, index + 1, count, h.label.text, shortPath(h.uri)));
}

/** Moves to the first pending hunk of the session that is shown, or of all. */
async function first(review: Review): Promise<void> {
  const { pending } = review.changes.store;
  const h = pending.find(({ sessionId }) => sessionId === review.views.sessionId) ?? pending[0];
  await (h ? review.diffs.open(h) : go(review, 1));
}

async function withHunk({ changes, cursor, threads }: Review, argument: Argument, run: (h: ReviewHunk) => Promise<void>): Promise<void> {
  const thread = typeof argument === 'object' && 'comments' in argument ? argument : undefined;
  const id = thread ? threads.hunkOf(thread) : typeof argument === 'string' ? argument : isNode(argument) && 'h' in argument ? argument.h.id : cursor.hunk()?.id;
  const h = id === undefined ? undefined : changes.store.hunk(id);
  if (!h) {
    announce(vscode.l10n.t(words.noChangeHere));
    return;
  }
  await run(h);
  if (thread) {
    // The thread had the focus, and is gone.
    await vscode.commands.executeCommand('workbench.action.focusActiveEditorGroup');
  }
}

async function withFile({ changes, cursor }: Review, argument: Argument, run: (file: ReviewFile) => Promise<void>): Promise<void> {
  const uri = isNode(argument) && 'uri' in argument ? argument.uri : cursor.file();
  const file = uri === undefined ? undefined : changes.store.file(uri);
  await (file ? run(file) : announce(vscode.l10n.t(words.noChange)));
}

/** Does the first of these actions that something offers, once the user has written what it needs. */
async function choose(review: Review, argument: Argument, of: Omit<Subject, 'version'>, offered: readonly (Action | string)[] = [], wanted: readonly string[]): Promise<void> {
  const { window } = review.open;
  const action = wanted.flatMap((id) => offered.flatMap((each) => named(window, each) ?? []).find((each) => each.id === id) ?? [])[0];
  await (action ? decide(review, argument, { ...of, version: window.version }, action) : announce(vscode.l10n.t(words.noChange)));
}

async function onHunk(review: Review, argument: Argument, h: ReviewHunk, wanted: readonly string[]): Promise<void> {
  const shows = wanted[0] === 'show' ? review.changes.store.file(h.uri) : undefined;
  if (shows) {
    await review.diffs.showFile(shows, h);
  } else if (wanted[0] === 'edit') {
    await review.diffs.edit(h);
  } else {
    await choose(review, argument, { id: h.id, hunks: [h] }, h.actions, wanted);
  }
}

/** Decides all of the session that is shown, or of all sessions if nothing of it waits. With `why` the user says why. */
async function onAll(review: Review, argument: Argument, actions: Partial<Record<ReviewHunk['state'], string>>, why?: Action): Promise<void> {
  const { version, status } = review.open.window;
  const { sessionId } = review.views;
  const all = review.changes.store.files.flatMap(({ hunks }) => hunks);
  for (const [state, id] of Object.entries(actions)) {
    const hunks = all.filter((h) => h.state === state);
    const own = sessionId === undefined ? [] : hunks.filter((h) => h.sessionId === sessionId);
    if (status && hunks.length > 0) {
      const about = own.length > 0 ? { id: sessionId!, version, hunks: own } : { id: status.id, version, hunks };
      await decide(review, argument, about, { id, title: { text: '' }, look: id.replace('All', ''), ...(why && { title: why.title, fields: why.fields ?? [] }) });
      return;
    }
  }
  announce(vscode.l10n.t(words.noChange));
}

/** Decides something once the user has written what that needs. The focus stays in the editors, unless the list has it. */
async function decide({ decider, tabs }: Review, argument: Argument, of: Subject, action: Action): Promise<void> {
  const [field] = action.fields ?? [];
  const reason = field && (await vscode.window.showInputBox({
    title: action.title.text,
    prompt: field.label.text,
    ...(field.hint && { placeHolder: field.hint.text }),
    ignoreFocusOut: true, // a look at the code loses nothing that was written
  }));
  if (field && reason === undefined) {
    return;
  }
  if (!isNode(argument)) {
    tabs.decides(of.hunks.map(({ uri }) => uri));
  }
  await decider.decide(of, action, { reason: reason?.trim() ?? '' });
}

/** Accepts the text that is being edited in place of a hunk's, where that is in front. */
async function acceptEdited({ documents }: Review, argument: Argument): Promise<boolean> {
  const document = vscode.window.activeTextEditor?.document;
  const virtual = document && parseVirtual(document.uri);
  if (argument !== undefined || virtual?.kind !== 'edit') {
    return false;
  }
  if (document!.isDirty) {
    await document!.save(); // that accepts it, and VS Code tells what is wrong
  } else {
    await documents.acceptWith(virtual.hunkId, document!.getText());
  }
  return true;
}

/** A change set, as far as it says what was decided. */
interface Decided {
  files: { hunks: { hunkId: string; state: string; range: Range }[] }[];
}

/** Undoes the accepted hunk at the cursor, where none waits there: it is pending again. */
async function reopenAtCursor({ server, open, cursor, changes }: Review, argument: Argument): Promise<boolean> {
  const editor = vscode.window.activeTextEditor;
  if (argument !== undefined || !editor || !changes.known || parseVirtual(editor.document.uri) || cursor.hunk()) {
    return false;
  }
  const row = rowOf(editor.selection);
  const { changeSets } = await server.request<{ changeSets: Decided[] }>('emendo/changes/list', { uri: editor.document.uri.toString(), reviewed: true });
  const decided = changeSets.flatMap(({ files }) => files.flatMap(({ hunks }) => hunks));
  const found = decided.findLast(({ state, range }) => state === 'accepted' && covers({ row: range.start.line, rows: covered(range) }, row));
  if (!found) {
    return false;
  }
  await open.act({ id: found.hunkId, actionId: 'reopen', version: open.window.version });
  return true;
}

function isNode(argument: Argument): argument is Node {
  return typeof argument === 'object' && ('h' in argument || ('uri' in argument && typeof argument.uri === 'string'));
}
