import type { ToView } from '../../src/shared/messages';

/** What a part of the view is asked to do, by the extension or by another part. */
export type Ask = Extract<ToView, { type: 'compose' | 'task' | 'do' }>;

const handlers = new Set<(ask: Ask) => boolean>();
let unheard: Ask[] = [];

/**
 * Hands something to the part of the view that does it. What nobody takes waits
 * for the part that will: a view that was just opened is asked before it has
 * been drawn.
 */
export function ask(request: Ask): void {
  for (const handler of handlers) {
    if (handler(request)) {
      return;
    }
  }
  unheard.push(request);
}

/** Does what is asked for. The handler returns whether the request was for it. */
export function onAsk(handler: (ask: Ask) => boolean): () => void {
  handlers.add(handler);
  unheard = unheard.filter((request) => !handler(request));
  return () => handlers.delete(handler);
}
