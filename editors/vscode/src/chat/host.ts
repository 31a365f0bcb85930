import type { HostMethod, HostRequests } from '../shared/messages';

type Handler<M extends HostMethod> = (params: HostRequests[M]['params']) => Promise<HostRequests[M]['result']>;

/** What the extension does for its views, by the names of HostRequests. */
export class HostHandlers {
  private readonly handlers = new Map<string, (params: never) => Promise<unknown>>();

  /** Sets the handler of a request. */
  on<M extends HostMethod>(method: M, handler: Handler<M>): void {
    this.handlers.set(method, handler);
  }

  /** Does what a view asks for. */
  async handle(method: string, params: unknown): Promise<unknown> {
    const handler = this.handlers.get(method);
    if (!handler) {
      throw new Error(`Refused: ${method}`);
    }
    return handler(params as never);
  }
}
