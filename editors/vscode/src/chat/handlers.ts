/** What the extension does for its views, apart from review. */
import * as vscode from 'vscode';
import { basename } from 'node:path';
import type { HostHandlers } from './host';
import type { ChatViews } from './views';
import type { Server } from '../server/server';
import type { ServerViews } from '../server/views';
import type { HostMethod, HostRequests } from '../shared/messages';
import { attach } from './attach';
import { complete, resolve } from './complete';
import type { EditorContexts, Target } from './context';
import type { LargeChips } from './large_chips';
import { local, openAddress, parse } from './open';
import type { Steps } from './steps';
import { storePrompt, storedPrompt } from './prompts';
import { tell } from '../tell';
import { words } from '../shared/words';

/** What the handlers work with. */
export interface Surroundings {
  server: Server;
  /** The server's views. */
  open: ServerViews;
  steps: Steps;
  views: ChatViews;
  contexts: EditorContexts;
  /** The state of the workspace. */
  state: vscode.Memento;
  large: LargeChips;
}

/** Commands of the server's that a view may run. */
const tasks = new Set(['emendo.fix', 'emendo.explain', 'emendo.document', 'emendo.test', 'emendo.review', 'emendo.explainChanges']);

/** Sets the handlers of requests that a view makes. */
export function registerHandlers(host: HostHandlers, around: Surroundings): void {
  const { server, open, steps: editor, views, contexts, state, large } = around;
  /** Sets a handler whose failure the user is shown: what they asked for was not done. */
  const act = <M extends HostMethod>(method: M, run: (params: HostRequests[M]['params']) => Promise<HostRequests[M]['result']>): void =>
    host.on(method, async (params) => {
      try {
        return await run(params);
      } catch (error) {
        void tell('warning', error instanceof Error ? error.message : String(error));
        throw error;
      }
    });

  act('open', async ({ id, place }) => {
    const file = parse(place.uri);
    if (!open.names(id, place) && file?.scheme !== 'untitled' && !(file && vscode.workspace.getWorkspaceFolder(file))) {
      throw new Error(`${place.uri}: ${vscode.l10n.t(words.outside)}`);
    }
    await editor.run([{ open: place }]);
    return null;
  });
  act('openLink', async ({ href }) => {
    await openAddress(String(href));
    return null;
  });
  host.on('view', ({ sessionId }) => open.show(String(sessionId)));
  host.on('earlier', async ({ sessionId }) => {
    await open.earlier(String(sessionId));
    return null;
  });
  host.on('act', async (act) => {
    const { steps = [], ...acted } = await open.act(act);
    return { ...acted, steps: await editor.run(steps) };
  });
  host.on('task', async ({ command, argument }) => {
    if (!tasks.has(command)) {
      throw new Error(`Refused: ${String(command)}`);
    }
    await server.execute(command, argument);
    return null;
  });
  act('client', async ({ client }) => {
    await editor.run([{ client }]);
    return null;
  });
  act('copy', async ({ text }) => {
    await vscode.env.clipboard.writeText(String(text));
    return null;
  });
  act('insert', async ({ text }) => {
    await insert(String(text), contexts.target);
    return null;
  });
  act('pickFiles', async () => {
    const uris = (await vscode.window.showOpenDialog({ canSelectMany: true, openLabel: vscode.l10n.t(words.addToPrompt) })) ?? [];
    return attach(uris);
  });
  host.on('dropped', async ({ uris }) => {
    const files = uris.map((text) => ({ text, uri: local(parse(text)) }));
    const inside = files.flatMap(({ uri }) => (uri && vscode.workspace.getWorkspaceFolder(uri) ? [uri] : []));
    const attached = await attach(inside);
    for (const { text, uri } of files) {
      if (!uri || !inside.includes(uri)) {
        const reason = vscode.l10n.t(words.outside);
        attached.refused.push({ name: uri ? basename(uri.path) : text, reason });
      }
    }
    return attached;
  });
  host.on('complete', async ({ query }) => ({ items: await complete(String(query)) }));
  act('resolve', async ({ chip }) => ({ chip: await resolve(chip) }));
  host.on('storePrompt', async (prompt) => {
    await storePrompt(state, prompt);
    const { session, draft } = prompt;
    if (session !== undefined) {
      void large.prune(new Set(Object.values(storedPrompt(state).drafts).flatMap((stored) => stored.large ?? [])), Date.now());
      views.post(draft ? { type: 'draft', session, draft } : { type: 'draft', session });
    }
    return null;
  });
  host.on('keepChip', async ({ key, chip }) => {
    await large.keep(String(key), chip);
    return null;
  });
  host.on('keptChips', async ({ keys }) => ({ chips: await large.read(keys) }));
  act('openInEditor', ({ sessionId }) => {
    views.openInEditor(sessionId, 'Emendo');
    return Promise.resolve(null);
  });
  act('exportSession', async ({ sessionId, format }) => {
    const { text } = await server.request<{ text: string }>('emendo/session/export', { sessionId, format });
    const document = await vscode.workspace.openTextDocument({ content: text, language: format });
    await vscode.window.showTextDocument(document, { preview: false });
    return null;
  });
  act('restart', async () => {
    await server.restart();
    return null;
  });
  contexts.onDidChange((context) => views.post({ type: 'editorContext', context }));
}

/** Shows the editor that was used last without giving it the focus. */
async function editorOf(target: Target | undefined): Promise<vscode.TextEditor> {
  if (!target) {
    throw new Error(vscode.l10n.t(words.openFirst));
  }
  const uri = target.uri.toString();
  const visible = vscode.window.visibleTextEditors.filter(({ document }) => document.uri.toString() === uri);
  const used = visible.find(({ viewColumn }) => viewColumn === target.viewColumn) ?? visible[0];
  if (used) {
    return used;
  }
  const editor = await vscode.window.showTextDocument(target.uri, { preserveFocus: true, preview: false, ...columnOf(target) });
  editor.selections = [...target.selections];
  return editor;
}

function columnOf({ viewColumn }: Target): { viewColumn?: vscode.ViewColumn } {
  return viewColumn === undefined ? {} : { viewColumn };
}

/** Replaces the selections by the text, as pasting would: one undo brings them back. */
async function insert(text: string, target: Target | undefined): Promise<void> {
  const editor = await editorOf(target);
  const done = await editor.edit((edit) => {
    for (const selection of editor.selections) {
      edit.replace(selection, text);
    }
  });
  if (!done) {
    throw new Error(vscode.l10n.t(words.notInserted));
  }
  editor.revealRange(editor.selection);
}
