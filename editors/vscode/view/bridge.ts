import type { ErrorData } from '../src/shared/wire';
import type { FromView, HostMethod, HostRequests, ServerMethod, ToView } from '../src/shared/messages';

interface VsCode {
  postMessage(message: FromView): void;
  getState(): unknown;
  setState(state: unknown): void;
}

declare function acquireVsCodeApi(): VsCode;

const vscode = acquireVsCodeApi();

/** The error that a request was answered with. */
export class RequestError extends Error {
  constructor(
    message: string,
    readonly code: number,
    readonly data: ErrorData | undefined,
  ) {
    super(message);
  }
}

interface Waiting {
  resolve: (result: unknown) => void;
  reject: (error: Error) => void;
}

const waiting = new Map<number, Waiting>();
const listeners = new Set<(message: ToView) => void>();
let last = 0;

window.addEventListener('message', (event: MessageEvent<ToView>) => {
  const message = event.data;
  if (message.type === 'result' || message.type === 'failure') {
    const request = waiting.get(message.id);
    waiting.delete(message.id);
    if (message.type === 'result') {
      request?.resolve(message.result);
    } else {
      const { code, message: text, data } = message.error;
      request?.reject(new RequestError(text, code, data as ErrorData | undefined));
    }
    return;
  }
  for (const listener of listeners) {
    listener(message);
  }
});

/** Asks the server for something. */
export function server<R>(method: ServerMethod, params: unknown): Promise<R> {
  return request((id) => ({ type: 'server', id, method, params })) as Promise<R>;
}

/** Asks the extension for something. */
export function host<M extends HostMethod>(method: M, params: HostRequests[M]['params']): Promise<HostRequests[M]['result']> {
  return request((id) => ({ type: 'host', id, method, params })) as Promise<HostRequests[M]['result']>;
}

function request(make: (id: number) => FromView): Promise<unknown> {
  const id = ++last;
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject });
    vscode.postMessage(make(id));
  });
}

/** Sends a message that has no answer. */
export function post(message: FromView): void {
  vscode.postMessage(message);
}

/** Receives the extension's messages other than answers. */
export function listen(listener: (message: ToView) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** What outlives the page: a view that is moved or reloaded gets it back. */
export interface Kept {
  /** Texts that are kept by the part of the view that they belong to. */
  [part: string]: unknown;
  sessionId?: string;
}

export function kept(): Kept {
  return (vscode.getState() as Kept | undefined) ?? {};
}

export function keep(state: Kept): void {
  vscode.setState(state);
}
