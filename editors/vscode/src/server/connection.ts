import type { CancellationToken, Disposable, LogOutputChannel } from 'vscode';
import type { ServerAbilities } from '../shared/wire';

/** Whether the workspace's folders are trusted. */
export type Trust = 'trusted' | 'restricted';

/** How to start a server. */
export interface ConnectOptions {
  /** The program, an absolute path or a name on PATH. */
  command: string;
  args: string[];
  env: NodeJS.ProcessEnv;
  /** The folder that the process works in, an absolute path. */
  cwd: string;
  /** Settings of the user's, below `initializationOptions.settings`. */
  settings: Record<string, unknown>;
  trust: Trust;
  /** Returns what the workspace has set of that which a project may set. */
  workspaceSettings: () => Record<string, unknown>;
  /** What the extension shows or answers, below `capabilities.experimental.emendo`. */
  declared: Record<string, unknown>;
  log: LogOutputChannel;
  /** Is called once when the process has ended without being asked to, with what it said last. */
  ended: (why: string) => void;
}

/** A program to start by itself, and with what. */
export type Program = Pick<ConnectOptions, 'command' | 'args' | 'env' | 'cwd'>;

/** A connection to a running server. */
export interface Connection {
  /** Undefined when the program is not emendo, or too old to say. */
  readonly abilities: ServerAbilities | undefined;
  readonly version: string;
  /** Sends a request. It rejects with the server's error, whose `data` is an ErrorData. */
  request<R>(method: string, params: unknown, token?: CancellationToken): Promise<R>;
  notify(method: string, params: unknown): void;
  /** Receives every notification of a method; once at most for each. */
  onNotification(method: string, handler: (params: unknown) => void): Disposable;
  /** Answers the server's requests of a method; once at most for each. */
  onRequest(method: string, handler: (params: unknown, token: CancellationToken) => Promise<unknown>): Disposable;
  /** Ends the server, and waits for that for two seconds at most. */
  stop(): Promise<void>;
}
