import * as vscode from 'vscode';
import { ChatViews } from './chat/views';
import { registerChatCommands } from './chat/commands';
import { EditorContexts } from './chat/context';
import { registerEditorRequests } from './chat/editor';
import { registerHandlers } from './chat/handlers';
import { HostHandlers } from './chat/host';
import { registerApprovals } from './approvals';
import { LargeChips } from './chat/large_chips';
import { storedPrompt } from './chat/prompts';
import { Steps } from './chat/steps';
import { onDidChangeViewSettings, viewSettings } from './chat/settings';
import { Questions } from './questions';
import { UnsavedNotebooks } from './notebooks/unsaved';
import { registerLists } from './lists';
import { registerReview } from './review/review';
import { registerCode } from './code/register';
import { registerSessions } from './sessions';
import { unfold } from './shared/fold';
import { Server } from './server/server';
import { ServerViews } from './server/views';
import { follow } from './server/follow';
import { Launch } from './server/launch';
import { registerStart } from './start/register';
import { registerTerminals } from './terminals';

let running: Server | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel('Emendo', { log: true });
  const launch = new Launch(context, log);
  const server = new Server(context.extensionPath, log, launch);
  running = server;
  const open = new ServerViews(server, log);
  const questions = new Questions(open);
  const contexts = new EditorContexts(server);
  const steps = new Steps(contexts);
  const notebooks = new UnsavedNotebooks(server, log);
  const host = new HostHandlers();
  const views = new ChatViews(context.extensionUri, {
    server,
    open,
    host,
    log,
    init: () => ({
      server: server.state,
      modes: server.abilities?.modes ?? [],
      window: unfold({ ...open.window, hunks: new Map() }),
      unread: sessions.unread,
      ...storedPrompt(context.workspaceState),
      editorContext: contexts.current,
      language: vscode.env.language,
      strings: vscode.l10n.bundle ?? {},
      folders: (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath),
      settings: viewSettings(),
    }),
    beforePrompt: () => {
      contexts.flush();
      return notebooks.flush();
    },
  });
  registerEditorRequests(server);
  registerHandlers(host, {
    server,
    open,
    steps,
    views,
    contexts,
    state: context.workspaceState,
    large: new LargeChips(vscode.Uri.joinPath(context.storageUri ?? context.globalStorageUri, 'drafts').fsPath),
  });
  const sessions = registerSessions(context, server, questions, views);
  context.subscriptions.push(
    log,
    server,
    open,
    follow(server, launch),
    questions,
    views,
    registerApprovals(questions, views, log),
    contexts,
    steps,
    notebooks,
    registerChatCommands(views),
    onDidChangeViewSettings((settings) => views.post({ type: 'settings', settings })),
    vscode.window.registerWebviewViewProvider(ChatViews.viewType, views, { webviewOptions: { retainContextWhenHidden: true } }),
    vscode.window.registerWebviewPanelSerializer(ChatViews.panelType, views),
  );
  registerReview(context, { server, open, views, log });
  registerCode(context, { server, open, steps, views, log });
  context.subscriptions.push(registerLists({ server, open, steps, views, log }));
  registerTerminals(context, server, log);
  registerStart(context, { server, launch, open, log });
}

/** VS Code waits for this before it ends the extension: no server is left behind. */
export async function deactivate(): Promise<void> {
  await running?.stop();
}
