import * as vscode from 'vscode';
import { attach } from '../chat/attach';
import { terminalSelection } from '../chat/terminal';
import type { ChatViews } from '../chat/views';
import type { Steps } from '../chat/steps';
import type { Server } from '../server/server';
import type { ServerViews } from '../server/views';
import type { Chip } from '../shared/messages';
import { registerCommands } from '../told';
import { Actions, Lenses } from './actions';
import { InlineEdit } from './edit';
import { FindingActions, reviewChanges } from './findings';
import { explainChanges, writeCommitMessage } from './git';
import { argumentOf, chipOf, placeOf, type Place } from './place';
import { Notices } from './notices';
import { problemsIn, tasks } from './tasks';
import { tell } from '../tell';
import { words } from '../shared/words';

/** The documents that actions are offered in: what the server can read. */
const documents: vscode.DocumentSelector = [{ scheme: 'file' }, { scheme: 'untitled' }];

/** Registers what is offered where code is: actions, lenses, menus, and the commands behind them. */
export function registerCode(
  context: vscode.ExtensionContext,
  { server, open, steps, views, log }: { server: Server; open: ServerViews; steps: Steps; views: ChatViews; log: vscode.LogOutputChannel },
): void {
  const shown = new Notices(open, steps, log);
  const edit = new InlineEdit(server, shown, context.workspaceState);
  const lenses = new Lenses();
  const commands: Record<string, (...args: never[]) => unknown> = {
    'emendo.edit': async (uri?: unknown, range?: unknown) => edit.edit(await required(uri, range)),
    'emendo.sendSelection': async () => add(views, [chipOf(await required())]),
    'emendo.addToContext': (uri?: vscode.Uri, uris?: vscode.Uri[]) => addFiles(views, uris ?? (uri ? [uri] : activeFile())),
    'emendo.sendTerminalSelection': async () => add(views, [await terminalSelection()]),
    'emendo.commitMessage': (control?: never) => writeCommitMessage(server, control),
    'emendo.explainChanges': (argument?: unknown, ...selected: unknown[]) => explainChanges(views, argument, selected),
    'emendo.reviewChanges': () => reviewChanges(server, views),
    'emendo.finding': (argument: Record<string, unknown>) => server.execute('emendo.finding', argument),
    'emendo.focusPrompt': () => views.send({ type: 'do', what: 'focusPrompt' }, true),
    'emendo.newSession': async () => {
      await views.send({ type: 'show' }, true);
      await views.send({ type: 'do', what: 'focusPrompt' }, true);
    },
  };
  for (const { command, does } of tasks()) {
    commands[command] = async (uri?: unknown, range?: unknown) => {
      const place = await required(uri, range);
      const problems = command === 'emendo.fix' && place.range ? problemsIn(place.uri, place.range) : [];
      await views.send({ type: 'task', command: does, argument: { ...argumentOf(place), problems } }, false);
    };
  }
  context.subscriptions.push(
    shown,
    edit,
    lenses,
    vscode.languages.registerCodeActionsProvider(documents, new Actions(), { providedCodeActionKinds: Actions.kinds }),
    vscode.languages.registerCodeActionsProvider(documents, new FindingActions(server), { providedCodeActionKinds: [FindingActions.kind] }),
    vscode.languages.registerCodeLensProvider(documents, lenses),
    registerCommands(log, commands),
  );
}

async function required(uri?: unknown, range?: unknown): Promise<Place> {
  const place = await placeOf(uri, range);
  if (!place) {
    throw new Error(vscode.l10n.t(words.openFirst));
  }
  return place;
}

function activeFile(): vscode.Uri[] {
  const editor = vscode.window.activeTextEditor;
  return editor ? [editor.document.uri] : [];
}

async function addFiles(views: ChatViews, uris: vscode.Uri[]): Promise<void> {
  const { chips, refused } = await attach(uris);
  for (const { name, reason } of refused) {
    void tell('warning', `${name}: ${reason}`);
  }
  if (chips.length > 0) {
    await add(views, chips);
  }
}

/** Puts chips into the prompt box, where the user writes what about them. */
async function add(views: ChatViews, chips: Chip[]): Promise<void> {
  await views.send({ type: 'compose', chips, focus: true }, true);
}
