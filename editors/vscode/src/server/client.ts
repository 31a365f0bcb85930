/**
 * The connection to one server process. This is a bundle of its own: loading the
 * language client takes longer than everything else, and is put off until the
 * server starts.
 */
import { l10n, Uri, workspace, type Disposable } from 'vscode';
import {
  CancellationToken,
  CloseAction,
  createProtocolConnection,
  ErrorAction,
  LanguageClient,
  ResponseError,
  RevealOutputChannelOn,
  StreamMessageReader,
  StreamMessageWriter,
  type ClientCapabilities,
  type DynamicFeature,
  type FeatureState,
  type InitializeParams,
  type LanguageClientOptions,
  type StaticFeature,
} from 'vscode-languageclient/node';
import { refusal, saveAsText, unsavedNotebook } from '../notebooks/edits';
import type { ServerAbilities } from '../shared/wire';
import { words } from '../shared/words';
import type { Connection, ConnectOptions, Program } from './connection';
import { gap } from './gap';
import { ServerProcess } from './process';
import type { LogOutputChannel } from 'vscode';

/** How long a program gets to answer `initialize`, in milliseconds. */
const startTimeout = 20_000;

/**
 * The features of the language client that are used. Code actions, lenses,
 * hovers and commands are the extension's own: they are there before the server
 * is, and the commands would collide with the server's, which have the same names.
 */
const used = new Set([
  'textDocument/didOpen',
  'textDocument/didChange',
  'textDocument/didSave',
  'textDocument/didClose',
  'workspace/didChangeConfiguration',
  'workspace/didChangeWatchedFiles',
  'workspace/didRenameFiles',
  'workspace/didChangeWorkspaceFolders',
]);

class Client extends LanguageClient {
  override registerFeature(feature: StaticFeature | DynamicFeature<unknown>): void {
    const method = 'registrationType' in feature ? feature.registrationType.method : undefined;
    if (method === undefined || used.has(method)) {
      super.registerFeature(feature);
    }
  }

  /** Logs: what the user has to know is told by Server. */
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

/** Declares emendo's part of the capabilities. */
class Declared implements StaticFeature {
  constructor(private readonly abilities: Record<string, unknown>) {}

  fillClientCapabilities(capabilities: ClientCapabilities): void {
    capabilities.experimental = { emendo: this.abilities };
  }

  /** The server is not told of folders that are not on a disk. */
  fillInitializeParams(params: InitializeParams): void {
    params.workspaceFolders = params.workspaceFolders?.filter(({ uri }) => uri.startsWith('file:')) ?? null;
  }

  initialize(): void {}

  getState(): FeatureState {
    return { kind: 'static' };
  }

  clear(): void {}
}

/** Starts a server and resolves when it has answered `initialize`. */
export async function connect(options: ConnectOptions): Promise<Connection> {
  const server = await ServerProcess.start(options, options.log);
  const { child } = server;
  const client = new Client('emendo', 'Emendo', () => Promise.resolve({ reader: child.stdout, writer: child.stdin }), clientOptions(options));
  client.registerFeature(new Declared(options.declared));
  try {
    await beforeEnd(server, client.start());
  } catch (error) {
    server.kill();
    throw error;
  }
  let stopping = false;
  void server.ended.then((why) => {
    if (!stopping) {
      options.ended(why);
    }
  });
  const result = client.initializeResult;
  return {
    abilities: result?.capabilities.experimental?.emendo as ServerAbilities | undefined,
    version: result?.serverInfo?.version ?? '',
    // A token that is undefined would count as a parameter, and make the params an array.
    request: (method, params, token) => (token ? client.sendRequest(method, params, token) : client.sendRequest(method, params)),
    notify: (method, params) => {
      client.sendNotification(method, params).catch((error: unknown) => options.log.debug(`${method}: ${String(error)}`));
    },
    onNotification: (method, handler) => client.onNotification(method, handler),
    onRequest: (method, handler) => client.onRequest(method, handler),
    async stop() {
      stopping = true;
      await client.dispose(2000).catch((error: unknown) => options.log.debug(String(error)));
      await server.finish();
    },
  };
}

function clientOptions(options: ConnectOptions): LanguageClientOptions {
  return {
    documentSelector: [{ scheme: 'file' }, { scheme: 'untitled' }],
    initializationOptions: { settings: options.settings, trust: options.trust },
    outputChannel: options.log,
    revealOutputChannelOn: RevealOutputChannelOn.Never,
    initializationFailedHandler: () => false,
    errorHandler: {
      error: () => ({ action: ErrorAction.Continue, handled: true }),
      closed: () => ({ action: CloseAction.DoNotRestart, handled: true }),
    },
    middleware: {
      workspace: {
        // Defaults are the server's, and the user's values have another rank than the workspace's.
        configuration: ({ items }) => items.map(({ section }) => (section === 'emendo' ? options.workspaceSettings() : null)),
        didChangeConfiguration: (_sections, next) => next(undefined),
        handleApplyEdit: async (params, next) => {
          const uris = [...Object.keys(params.edit.changes ?? {}), ...(params.edit.documentChanges ?? []).flatMap((change) => ('textDocument' in change ? change.textDocument.uri : []))];
          const notebook = uris.map(unsavedNotebook).find((found) => found !== undefined);
          if (notebook) {
            return { applied: false, failureReason: refusal(notebook) };
          }
          const result = await next(params, CancellationToken.None);
          if (!(result instanceof ResponseError) && !result.applied) {
            await gap((typed) => changesOf(uris, typed)); // the server tries again from the text as it is then
            return result;
          }
          await saveAsText(uris);
          return result;
        },
        didChangeWorkspaceFolders: (event, next) =>
          next({ added: event.added.filter(onDisk), removed: event.removed.filter(onDisk) }),
      },
    },
  };
}

/** Calls a listener when one of these files is changed in the editor. */
function changesOf(uris: readonly string[], listener: () => void): Disposable {
  const spelled = new Set(uris.map((uri) => Uri.parse(uri).toString()));
  return workspace.onDidChangeTextDocument(({ document }) => spelled.has(document.uri.toString()) && listener());
}

function onDisk({ uri }: { uri: { scheme: string } }): boolean {
  return uri.scheme === 'file';
}

/** How long the end of a process may come after what it caused, in milliseconds. */
const patience = 500;

function later(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Resolves as a promise does, and rejects when the server ends or takes too long before. */
async function beforeEnd<T>(server: ServerProcess, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(l10n.t(words.noAnswer, startTimeout / 1000))), startTimeout);
  });
  const end = server.ended.then((why): never => {
    throw new Error(why);
  });
  end.catch(() => {}); // it is expected after the race
  // Why the process ended says more than that it could not be written to.
  const told = promise.catch((error: unknown) => Promise.race([end, later(patience).then(() => Promise.reject(error))]));
  told.catch(() => {});
  try {
    return await Promise.race([told, end, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Asks the provider for its models through a server of its own, which ends
 * afterwards: tells whether a key is good without disturbing the one that runs.
 * Rejects with the server's error.
 */
export async function tryKey(program: Program, settings: Record<string, unknown>, log: LogOutputChannel): Promise<void> {
  const server = await ServerProcess.start(program, log);
  const { stdout, stdin } = server.child;
  const connection = createProtocolConnection(new StreamMessageReader(stdout), new StreamMessageWriter(stdin));
  connection.listen();
  const ask = async (): Promise<void> => {
    await connection.sendRequest('initialize', {
      processId: process.pid,
      rootUri: null,
      workspaceFolders: null,
      capabilities: { experimental: { emendo: { version: 1, models: true } } },
      initializationOptions: { settings, trust: 'restricted' },
    });
    await connection.sendNotification('initialized', {});
    await connection.sendRequest('emendo/models/list', { refresh: true });
  };
  try {
    await beforeEnd(server, ask());
    await beforeEnd(server, connection.sendRequest('shutdown'));
    await connection.sendNotification('exit');
    await server.finish();
  } finally {
    server.kill();
    connection.dispose();
  }
}
