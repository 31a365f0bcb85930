import * as vscode from 'vscode';
import type { Server } from './server/server';
import type { Step, Text } from './shared/view';
import { registerCommands } from './told';

/** A command in the background. */
type Background = Extract<Step, { terminal: unknown }>['terminal'];

/** The params of emendo/session/update for a terminal. */
interface Update {
  update: { sessionUpdate: string; terminalId: string; data?: string; exit?: { exitCode?: number; text: Text } };
}

/** A terminal that the server fills: of the user's shell, or of a command in the background. */
class Terminal implements vscode.Pseudoterminal {
  private readonly written = new vscode.EventEmitter<string>();
  private readonly ended = new vscode.EventEmitter<number | void>();
  readonly onDidWrite = this.written.event;
  readonly onDidClose = this.ended.event;
  private id: Promise<string> | undefined;

  constructor(
    private readonly server: Server,
    private readonly all: Map<string, Terminal>,
    private readonly background: Background | undefined,
  ) {}

  open(size: vscode.TerminalDimensions | undefined): void {
    const { sessionId, pid } = this.background ?? {};
    this.id = this.server.request<{ terminalId: string }>('emendo/terminal/open', { sessionId, pid, rows: size?.rows, columns: size?.columns }).then(({ terminalId }) => {
      this.all.set(terminalId, this);
      return terminalId;
    });
    this.id.catch((error: Error) => this.written.fire(`${error.message}\r\n`));
  }

  close(): void {
    this.send('close', {});
    this.forget();
  }

  handleInput(data: string): void {
    if (!this.background) {
      this.send('write', { data });
    }
  }

  setDimensions({ rows, columns }: vscode.TerminalDimensions): void {
    this.send('resize', { rows, columns });
  }

  /** Shows what came. What the command in the background has written stays. */
  take({ data, exit }: Update['update']): void {
    if (data) {
      this.written.fire(data);
    }
    if (exit) {
      this.written.fire(`\r\n${exit.text.text}\r\n`);
      this.finish(exit.exitCode);
    }
  }

  /** The program has ended, or the server has. */
  finish(code?: number): void {
    this.forget();
    if (!this.background) {
      this.ended.fire(code);
    }
  }

  private forget(): void {
    this.id?.then((id) => this.all.delete(id)).catch(() => {}); // it was never opened
    this.id = undefined;
  }

  private send(method: string, params: object): void {
    this.id?.then((terminalId) => this.server.request(`emendo/terminal/${method}`, { terminalId, ...params })).catch(() => {}); // it has just ended
  }
}

/** Registers the command that opens a terminal, which steps of the server's actions use too. */
export function registerTerminals(context: vscode.ExtensionContext, server: Server, log: vscode.LogOutputChannel): void {
  const open = new Map<string, Terminal>();
  context.subscriptions.push(
    server.onNotification<Update>('emendo/session/update', ({ update }) => open.get(update.terminalId)?.take(update)),
    server.onDidChangeState(({ state }) => state !== 'running' && [...open.values()].forEach((terminal) => terminal.finish())),
    registerCommands(log, {
      'emendo.openTerminal': (background?: Background) =>
        vscode.window.createTerminal({ name: background?.title.text ?? 'Emendo', pty: new Terminal(server, open, background), isTransient: true }).show(),
    }),
  );
}
