import { host, server } from '../bridge';
import type { Excluded } from '../../src/shared/messages';
import type { Act, Acted } from '../../src/shared/view';
import type { ContentBlock, InjectHow } from '../../src/shared/wire';
import { fromBlocks } from '../prompt/blocks';
import { ask } from './requests';
import { create, show } from './sessions';
import { getState, isRunning, lastTurn, setState, subscribe } from './store';
import { draw } from './view';

export interface SendOptions {
  /** What to do while a turn runs: `queue` by default. */
  how?: InjectHow;
  /** False leaves out what the editor shows. */
  context?: false;
  exclude?: Excluded[];
}

let lastPending = 0;

/**
 * Sends a prompt, in a new session if none is shown. Resolves when the server
 * has it: from then on it is in the conversation or in the queue. Rejects if it
 * was not taken, and the text belongs to its writer again.
 */
export async function send(blocks: ContentBlock[], { how, ...options }: SendOptions = {}): Promise<void> {
  const running = isRunning(getState());
  const id = ++lastPending;
  if (!running) {
    setState({ screen: 'chat', pending: [...getState().pending, { id, blocks, after: lastTurn(getState())?.id }] });
  }
  try {
    if (running) {
      await server('emendo/session/inject', { sessionId: getState().sessionId, prompt: blocks, how: how ?? 'queue' });
    } else {
      await prompt(await receiver(), id, blocks, options);
    }
  } catch (error) {
    forget(id);
    throw error;
  }
}

/**
 * The session that a prompt goes to: the one that is shown, or a new one. While a
 * session is loaded it may turn out that there is nothing to load.
 */
async function receiver(): Promise<string> {
  const shown = getState().sessionId;
  const waits = (): boolean => getState().loading && getState().sessionId === shown;
  if (waits()) {
    await new Promise<void>((resolve) => {
      const unsubscribe = subscribe(() => {
        if (!waits()) {
          unsubscribe();
          resolve();
        }
      });
    });
  }
  return shown !== undefined && getState().sessionId !== undefined ? shown : create();
}

/** Has the server do a task in the session that is shown, or in a new one. */
export async function runTask(command: string, argument: Record<string, unknown>): Promise<void> {
  await host('task', { command, argument: { ...argument, sessionId: await receiver() } });
}

/** Sends a prompt and waits until it was echoed or refused. */
function prompt(sessionId: string, id: number, blocks: ContentBlock[], options: Omit<SendOptions, 'how'>): Promise<void> {
  return new Promise((resolve, reject) => {
    let echoed = false;
    const unsubscribe = subscribe(() => {
      if (!getState().pending.some((pending) => pending.id === id)) {
        echoed = true;
        unsubscribe();
        resolve();
      }
    });
    server('emendo/session/prompt', { sessionId, prompt: blocks, ...options }).then(
      () => forget(id),
      (error: Error) => {
        draw(); // the turn came before the error, and may not be drawn yet
        unsubscribe();
        if (!echoed) {
          reject(error); // else the turn says why
        }
      },
    );
  });
}

function forget(id: number): void {
  const { pending } = getState();
  if (pending.some((prompt) => prompt.id === id)) {
    setState({ pending: pending.filter((prompt) => prompt.id !== id) });
  }
}

/** Shows why something that the user wanted did not work; undefined takes it back. */
export function fail(error: unknown): void {
  setState({ failure: error === undefined ? undefined : error instanceof Error ? error : new Error(String(error)) });
}

/** Ends the running turn. */
export function cancel(): void {
  if (isRunning(getState())) {
    void act('status', 'stop').catch(() => {}); // it has just ended
  }
}

/** Does what the user chose of an item of the session that is shown, or of the window; a text to be edited is the caller's. */
export function act(id: string, actionId: string, more: Pick<Act, 'text' | 'values' | 'blocks'> = {}): Promise<Acted> {
  const { sessionId, view, window } = getState();
  const of = window.items.has(id) || sessionId === undefined ? { version: window.version } : { sessionId, version: view.version };
  return done({ ...of, id, actionId, ...more });
}

/** Answers a question by one of its options, or does an action of an entry of a list. With problems in the answer nothing was done. */
export function answer(id: string, actionId: string, given: Pick<Act, 'text' | 'values'> = {}): Promise<Acted> {
  return done({ id, actionId, version: getState().window.version, ...given });
}

/** Has something done, and does what the extension leaves to the view. */
async function done(what: Act): Promise<Acted> {
  const acted = await host('act', what);
  for (const step of acted.steps ?? []) {
    if ('show' in step) {
      await show(step.show);
    } else if ('compose' in step) {
      ask({ type: 'compose', text: step.compose, chips: [...fromBlocks(step.blocks ?? []).chips], focus: true });
    }
  }
  return acted;
}

export async function setMode(mode: string): Promise<void> {
  const { sessionId, chosen } = getState();
  if (sessionId === undefined) {
    setState({ chosen: { ...chosen, mode } });
    return;
  }
  await server('emendo/session/setMode', { sessionId, mode });
}

export async function setModel(model: string): Promise<void> {
  const { sessionId, chosen } = getState();
  if (sessionId === undefined) {
    setState({ chosen: { ...chosen, model } });
    return;
  }
  await server('emendo/session/setModel', { sessionId, model });
}
