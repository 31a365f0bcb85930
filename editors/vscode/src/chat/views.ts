import * as vscode from 'vscode';
import { html, resources } from './html';
import { HostHandlers } from './host';
import { serverMethods, type FromView, type Init, type ToView } from '../shared/messages';
import type { Server } from '../server/server';
import type { ServerViews, ViewNews } from '../server/views';

/** What a view gets beside its own messages. */
export interface Surroundings {
  server: Server;
  /** The server's views. */
  open: ServerViews;
  host: HostHandlers;
  log: vscode.LogOutputChannel;
  /** Everything in `init` that is not about the one view. */
  init: () => Omit<Init, 'type' | 'place' | 'sessionId'>;
  /** Runs before a view's request about a prompt goes out, so that it finds the editor as it is. */
  beforePrompt: () => Promise<void> | undefined;
}

/** The requests that depend on where the user is in the editor. */
const prompting: ReadonlySet<string> = new Set(['emendo/session/prompt', 'emendo/session/inject', 'emendo/context/list', 'emendo/prompt/complete', 'task']);

/** The server's notifications that views receive. */
const forwarded = ['emendo/sessions/didChange', 'emendo/models/didChange'];

/**
 * The chat views: one in the side bar, and one in each editor tab that shows a
 * session. Each has its own webview and the same messages.
 */
export class ChatViews implements vscode.WebviewViewProvider, vscode.WebviewPanelSerializer, vscode.Disposable {
  static readonly viewType = 'emendo.chat';
  static readonly panelType = 'emendo.session';

  private readonly views = new Set<View>();
  private readonly changes = new vscode.EventEmitter<void>();
  /** Fires when a view is opened, closed, shown, hidden, or shows another session. */
  readonly onDidChange = this.changes.event;
  private side: View | undefined;
  private lastUsed: View | undefined;
  private readonly disposables: vscode.Disposable[] = [this.changes];

  constructor(
    private readonly extension: vscode.Uri,
    private readonly around: Surroundings,
  ) {
    for (const method of forwarded) {
      this.disposables.push(around.server.onNotification(method, (params) => this.post({ type: 'notification', method, params })));
    }
    this.disposables.push(
      around.server.onDidChangeState((server) => {
        const abilities = around.server.abilities;
        this.post(abilities ? { type: 'server', server, modes: abilities.modes } : { type: 'server', server });
      }),
      around.open.onDidChange((news) => this.tell(news)),
    );
  }

  /** Whether a view that the user can see shows the session. */
  shows(sessionId: string): boolean {
    return [...this.views].some((view) => view.visible && view.sessionId === sessionId);
  }

  /** Whether any view can be seen. */
  get visible(): boolean {
    return [...this.views].some((view) => view.visible);
  }

  /** The session of the view that was used last. */
  get sessionId(): string | undefined {
    return (this.lastUsed ?? this.side)?.sessionId;
  }

  /** The side bar's view, for its badge; undefined until it was opened. */
  get sideView(): vscode.WebviewView | undefined {
    return this.side?.webviewView;
  }

  /** Sends a message to every view. */
  post(message: ToView): void {
    for (const view of this.views) {
      view.post(message);
    }
  }

  /** Passes on what is new of a view to those who show it. Hunks are the editor's. */
  private tell(news: ViewNews): void {
    const message: ToView =
      'view' in news
        ? { type: 'view', ...news, view: { ...news.view, hunks: [] } }
        : 'earlier' in news
          ? { type: 'earlier', ...news }
          : { type: 'changes', ...news, changes: news.changes.filter((change) => !('hunk' in change || 'move' in change)) };
    for (const view of this.views) {
      if (news.sessionId === undefined || news.sessionId === view.sessionId) {
        view.post(message);
      }
    }
  }

  /**
   * Sends a message to the view that was used last, and opens the side bar's if
   * there is none. Focus goes there only when asked.
   */
  async send(message: ToView, focus: boolean): Promise<void> {
    const view = this.lastUsed && this.views.has(this.lastUsed) ? this.lastUsed : this.side;
    if (view) {
      view.show(!focus);
      view.post(message);
      return;
    }
    this.waiting.push(message);
    await vscode.commands.executeCommand(`${ChatViews.viewType}.focus`, { preserveFocus: !focus });
  }

  /**
   * Shows a session: in the view that has it already, else in the one that was
   * used last. What is sent next goes there.
   */
  async reveal(sessionId: string, focus: boolean): Promise<void> {
    const having = [...this.views].filter((view) => view.sessionId === sessionId);
    const view = having.find(({ visible }) => visible) ?? having[0];
    if (view) {
      this.lastUsed = view;
      view.show(!focus);
    }
    await this.send({ type: 'show', sessionId }, focus);
  }

  private readonly waiting: ToView[] = [];

  resolveWebviewView(webviewView: vscode.WebviewView): void {
    const view = new View(webviewView.webview, 'view', this.around, this);
    view.webviewView = webviewView;
    view.isVisible = () => webviewView.visible;
    view.show = (preserveFocus) => webviewView.show(preserveFocus);
    this.side = view;
    this.add(view, webviewView.onDidDispose, webviewView.onDidChangeVisibility);
  }

  deserializeWebviewPanel(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    const sessionId = (state as { sessionId?: string } | undefined)?.sessionId;
    this.addPanel(panel, sessionId);
    return Promise.resolve();
  }

  /** Opens a session in an editor's tab, or shows the tab that it has. */
  openInEditor(sessionId: string | undefined, title: string): void {
    const open = [...this.views].find((view) => view.place === 'editor' && sessionId !== undefined && view.sessionId === sessionId);
    if (open) {
      open.show(false);
      return;
    }
    const panel = vscode.window.createWebviewPanel(ChatViews.panelType, title, vscode.ViewColumn.Active, { retainContextWhenHidden: true });
    this.addPanel(panel, sessionId);
  }

  dispose(): void {
    for (const disposable of this.disposables) {
      disposable.dispose();
    }
  }

  /** Is told by a view that its session is another. */
  changed(view: View): void {
    this.lastUsed = view;
    this.close();
    this.changes.fire();
  }

  /** Closes the server's views of sessions that are not shown any more. */
  private close(): void {
    this.around.open.keep(new Set([...this.views].flatMap(({ sessionId }) => sessionId ?? [])));
  }

  private addPanel(panel: vscode.WebviewPanel, sessionId: string | undefined): void {
    panel.iconPath = vscode.Uri.joinPath(this.extension, 'media', 'emendo.svg');
    const view = new View(panel.webview, 'editor', this.around, this);
    view.sessionId = sessionId;
    view.isVisible = () => panel.visible;
    view.show = (preserveFocus) => panel.reveal(undefined, preserveFocus);
    view.setTitle = (title) => (panel.title = title);
    this.add(view, panel.onDidDispose, panel.onDidChangeViewState);
  }

  private add(view: View, closed: vscode.Event<unknown>, shown: vscode.Event<unknown>): void {
    this.views.add(view);
    closed(() => {
      this.views.delete(view);
      if (this.side === view) {
        this.side = undefined;
      }
      if (this.lastUsed === view) {
        this.lastUsed = undefined;
      }
      this.close();
      this.changes.fire();
    });
    shown(() => this.changes.fire());
    view.onReady = () => {
      for (const message of this.waiting.splice(0)) {
        view.post(message);
      }
    };
    view.load(this.extension);
    this.changes.fire();
  }
}

/** One webview. */
class View {
  sessionId: string | undefined;
  webviewView: vscode.WebviewView | undefined;
  isVisible: () => boolean = () => false;
  show: (preserveFocus: boolean) => void = () => {};
  setTitle: (title: string) => void = () => {};
  onReady: () => void = () => {};
  private ready = false;

  constructor(
    private readonly webview: vscode.Webview,
    readonly place: 'view' | 'editor',
    private readonly around: Surroundings,
    private readonly views: ChatViews,
  ) {}

  get visible(): boolean {
    return this.isVisible();
  }

  load(extension: vscode.Uri): void {
    this.webview.onDidReceiveMessage((message: FromView) => void this.receive(message));
    this.webview.options = { enableScripts: true, localResourceRoots: [resources(extension)] };
    this.webview.html = html(this.webview, extension);
  }

  /** Sends a message; until the view is ready there is nobody to read it, and `init` holds it all. */
  post(message: ToView): void {
    if (this.ready) {
      void this.webview.postMessage(message);
    }
  }

  private async receive(message: FromView): Promise<void> {
    const { server, host, log } = this.around;
    switch (message.type) {
      case 'ready': {
        this.ready = true;
        this.sessionId ??= message.sessionId;
        const session = this.sessionId === undefined ? {} : { sessionId: this.sessionId };
        this.post({ type: 'init', place: this.place, ...session, ...this.around.init() });
        this.onReady();
        this.views.changed(this);
        if (server.state.state === 'stopped') {
          server.start().catch(() => {}); // the view shows the server's state
        }
        break;
      }
      case 'server':
        if (!serverMethods.includes(message.method)) {
          log.warn(`refused: ${String(message.method)}`);
          break;
        }
        await this.answer(message.id, this.prepared(message.method, () => server.request(message.method, message.params)));
        break;
      case 'host':
        await this.answer(message.id, this.prepared(message.method, () => host.handle(message.method, message.params)));
        break;
      case 'showing':
        this.sessionId = message.sessionId;
        this.views.changed(this);
        break;
      case 'title':
        this.setTitle(String(message.title));
        break;
      case 'log':
        log.error(`view: ${message.message}`);
        break;
    }
  }

  /** Makes a request after what goes before it; at once where there is nothing, so that messages stay in their order. */
  private prepared(method: string, request: () => Promise<unknown>): Promise<unknown> {
    const before = prompting.has(method) ? this.around.beforePrompt() : undefined;
    return before ? before.then(request) : request();
  }

  private async answer(id: number, answer: Promise<unknown>): Promise<void> {
    try {
      this.post({ type: 'result', id, result: (await answer) ?? null });
    } catch (error) {
      const { code = -32603, message, data } = error as { code?: number; message: string; data?: unknown };
      this.post({ type: 'failure', id, error: { code, message, data } });
    }
  }
}
