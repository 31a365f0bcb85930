import * as vscode from 'vscode';
import { join } from 'node:path';
import type { ServerState } from '../shared/messages';
import type { ErrorData, ServerAbilities } from '../shared/wire';
import type { Connection } from './connection';
import type { Launch } from './launch';
import { Restarts } from './restarts';
import { startError } from './start_error';
import { mismatch } from './versions';
import { words } from '../shared/words';

/** What the extension shows and answers: docs/protocol.md, Initialize. */
const declared = {
  version: 1,
  view: 1,
  permission: true,
  elicit: true,
  changes: true,
  comments: true,
  save: true,
  diagnostics: true,
  models: true,
  sessions: true,
  terminals: true,
};

/**
 * The server: one process, started when it is first needed and again when it
 * dies. Handlers that are registered here hold for every process.
 */
export class Server implements vscode.Disposable {
  private readonly states = new vscode.EventEmitter<ServerState>();
  readonly onDidChangeState = this.states.event;
  state: ServerState;

  private connecting: Promise<Connection> | undefined;
  private connection: Connection | undefined;
  private readonly notified = new Map<string, vscode.EventEmitter<unknown>>();
  private readonly answered = new Map<string, (params: unknown, token: vscode.CancellationToken) => Promise<unknown>>();
  private readonly restarts = new Restarts();
  private disposed = false;
  /** Ends the wait before a restart; undefined while there is none. */
  private stopWaiting: (() => void) | undefined;

  constructor(
    private readonly extensionPath: string,
    private readonly log: vscode.LogOutputChannel,
    private readonly launch: Launch,
  ) {
    const message = launch.unsupported();
    this.state = message === undefined ? { state: 'stopped' } : { state: 'unsupported', message };
  }

  /** What the running server can do; undefined while none runs. */
  get abilities(): ServerAbilities | undefined {
    return this.connection?.abilities;
  }

  get version(): string | undefined {
    return this.connection?.version;
  }

  /** Sends a request, and starts the server first where that is needed. */
  async request<R>(method: string, params: unknown, token?: vscode.CancellationToken): Promise<R> {
    const connection = await this.start();
    try {
      return await connection.request<R>(method, params, token);
    } catch (error) {
      if (connection === this.connection) {
        throw said(error);
      }
      throw new Error(vscode.l10n.t(words.endedEarly));
    }
  }

  /** Runs one of the server's commands. */
  execute<R>(command: string, argument: Record<string, unknown>): Promise<R> {
    return this.request<R>('workspace/executeCommand', { command, arguments: [argument] });
  }

  /**
   * Sends a notification if a server runs or is starting: one that starts later
   * learns all that matters in other ways.
   */
  notify(method: string, params: unknown): void {
    if (this.connection) {
      this.connection.notify(method, params);
    } else {
      this.connecting?.then(
        (connection) => connection.notify(method, params),
        () => {}, // whoever started it is told
      );
    }
  }

  onNotification<P>(method: string, handler: (params: P) => void): vscode.Disposable {
    let emitter = this.notified.get(method);
    if (!emitter) {
      emitter = new vscode.EventEmitter<unknown>();
      this.notified.set(method, emitter);
      this.connection?.onNotification(method, (params) => this.notified.get(method)?.fire(params));
    }
    return emitter.event(handler as (params: unknown) => void);
  }

  onRequest<P, R>(method: string, handler: (params: P, token: vscode.CancellationToken) => Promise<R>): void {
    this.answered.set(method, handler as (params: unknown, token: vscode.CancellationToken) => Promise<unknown>);
    this.connection?.onRequest(method, handler as never);
  }

  /** Starts the server, or waits for the one that is starting. */
  start(): Promise<Connection> {
    this.connecting ??= this.track(this.connect());
    return this.connecting;
  }

  /** Ends the server and starts it again, whatever happened before. */
  async restart(): Promise<void> {
    await this.stop();
    this.restarts.forget();
    await this.start();
  }

  async stop(): Promise<void> {
    this.stopWaiting?.();
    const connection = this.connection ?? (await this.connecting?.catch(() => undefined));
    this.connection = undefined;
    this.connecting = undefined;
    this.set({ state: 'stopped' });
    await connection?.stop();
  }

  dispose(): void {
    this.disposed = true;
    void this.stop();
    this.states.dispose();
  }

  /** Forgets an attempt that failed, so that the next request makes another. */
  private track(attempt: Promise<Connection>): Promise<Connection> {
    attempt.catch(() => {
      if (this.connecting === attempt) {
        this.connecting = undefined;
      }
    });
    return attempt;
  }

  private async connect(): Promise<Connection> {
    const unsupported = this.launch.unsupported();
    if (unsupported !== undefined) {
      this.set({ state: 'unsupported', message: unsupported });
      throw new Error(unsupported);
    }
    this.set({ state: 'starting' });
    let command = '';
    try {
      const options = await this.launch.options();
      command = options.command;
      this.log.info(`Start ${options.command} ${options.args.join(' ')}`);
      const client = require(join(this.extensionPath, 'dist', 'client.js')) as typeof import('./client');
      const connection = await client.connect({
        ...options,
        declared,
        log: this.log,
        ended: (why) => this.ended(connection, why),
      });
      const wrong = mismatch(connection.abilities);
      if (wrong) {
        await connection.stop();
        throw wrong;
      }
      for (const [method, emitter] of this.notified) {
        connection.onNotification(method, (params) => emitter.fire(params));
      }
      for (const [method, handler] of this.answered) {
        connection.onRequest(method, handler);
      }
      this.connection = connection;
      this.log.info(`connected: emendo ${connection.version}`);
      this.set({ state: 'running' });
      return connection;
    } catch (thrown) {
      const error = startError(thrown, command);
      this.log.error(error.message);
      this.set({ state: 'failed', message: error.message });
      throw error;
    }
  }

  private ended(connection: Connection, why: string): void {
    if (this.disposed || connection !== this.connection) {
      return;
    }
    this.log.error(why);
    this.connection = undefined;
    const wait = this.restarts.died(Date.now());
    if (wait === undefined) {
      this.connecting = undefined;
      this.set({ state: 'failed', message: vscode.l10n.t(words.endedOften, why) });
      return;
    }
    this.set({ state: 'starting' });
    this.connecting = this.track(this.wait(wait).then(() => this.connect()));
  }

  /** Waits for some milliseconds. It rejects when the server is stopped meanwhile. */
  private wait(ms: number): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const timer = setTimeout(resolve, ms);
      this.stopWaiting = () => {
        clearTimeout(timer);
        reject(new Error(vscode.l10n.t(words.serverStopped)));
      };
    }).finally(() => (this.stopWaiting = undefined));
  }

  private set(state: ServerState): void {
    this.state = state;
    if (!this.disposed) {
      this.states.fire(state);
    }
  }
}

/** Returns an error of the server's with what the user reads of it as its message. */
function said(error: unknown): unknown {
  const text = (error as { data?: ErrorData }).data?.text;
  return error instanceof Error && text ? Object.assign(error, { message: text.text }) : error;
}
