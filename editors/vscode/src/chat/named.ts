import * as vscode from 'vscode';
import type { Questions } from '../questions';
import type { Server } from '../server/server';
import type { ServerViews } from '../server/views';
import type { SessionUpdate, ToolCall } from '../shared/wire';

/** The oldest names are forgotten beyond this number. */
const most = 20_000;

/**
 * The files that sessions have named: those that calls read and edit, plans, and
 * what the user attached. A view may open these and what is in the workspace.
 */
export class NamedFiles implements vscode.Disposable {
  private readonly named = new Set<string>();
  private readonly disposables: vscode.Disposable[];

  constructor(server: Server, open: ServerViews, questions: Questions) {
    this.disposables = [
      server.onNotification<SessionUpdate>('emendo/session/update', ({ update }) => {
        switch (update.sessionUpdate) {
          case 'tool_call':
          case 'tool_call_update':
            this.call(update);
            break;
          case 'user_message_chunk':
            if (update.content.type === 'resource_link') {
              this.uri(update.content.uri);
            }
            break;
          case '_emendo/turn_ended':
            update.files?.forEach(({ uri }) => this.uri(uri));
            break;
        }
      }),
      open.onDidChange(({ sessionId }) => {
        if (sessionId === undefined) {
          open.window.items.forEach(({ place }) => [place?.uri, place?.newUri].forEach((uri) => this.uri(uri)));
        }
      }),
      questions.onDidAsk(({ parts, lines }) => [...parts, ...lines].forEach(({ place }) => this.uri(place?.uri))),
    ];
  }

  /** Absolute paths. */
  get paths(): ReadonlySet<string> {
    return this.named;
  }

  /** Adds a file that the user chose. */
  add(path: string): void {
    this.named.delete(path);
    this.named.add(path);
    if (this.named.size > most) {
      for (const oldest of this.named) {
        this.named.delete(oldest);
        break;
      }
    }
  }

  dispose(): void {
    for (const disposable of this.disposables) {
      disposable.dispose();
    }
  }

  private call(call: ToolCall): void {
    call.locations?.forEach(({ path }) => this.add(path));
    for (const content of call.content ?? []) {
      if (content.type === 'diff') {
        this.add(content.path);
      }
    }
  }

  private uri(text: string | undefined): void {
    if (text?.startsWith('file:')) {
      this.add(vscode.Uri.parse(text).fsPath);
    }
  }
}
