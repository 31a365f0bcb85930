import { host, post, RequestError, server } from '../bridge';
import type { Excluded } from '../../src/shared/messages';
import type { Act, Acted } from '../../src/shared/view';
import type { ContentBlock, InjectHow, SessionInfo } from '../../src/shared/wire';
import type { Conversation, TurnError } from './conversation';
import { create } from './sessions';
import { getState, isRunning, setState, subscribe } from './store';

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
    setState({ screen: 'chat', pending: [...getState().pending, { id, blocks }] });
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
        unsubscribe();
        if (echoed) {
          failed(sessionId, error);
        } else {
          reject(error);
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

/** Notes at the turn why its request failed. */
function failed(sessionId: string, error: Error): void {
  const { conversation } = getState();
  if (sessionId !== getState().sessionId) {
    return;
  }
  const code = error instanceof RequestError ? error.data?.code : undefined;
  setState({ conversation: withError(conversation, code === undefined ? { message: error.message } : { message: error.message, code }) });
}

function withError(conversation: Conversation, error: TurnError): Conversation {
  const last = conversation.turns.at(-1);
  if (!last) {
    return conversation;
  }
  return { ...conversation, turns: [...conversation.turns.slice(0, -1), { ...last, state: last.end ? 'ended' : 'interrupted', error }] };
}

/** Ends the running turn, or one call of it. */
export function cancel(toolCallId?: string): void {
  const { sessionId } = getState();
  if (sessionId !== undefined && (toolCallId !== undefined || isRunning(getState()))) {
    post(toolCallId === undefined ? { type: 'cancel', sessionId } : { type: 'cancel', sessionId, toolCallId });
  }
}

/** Answers a question by one of its options, and returns what is wrong with the answer. With problems it stays open. */
export async function answer(question: string, option: string, given: Pick<Act, 'text' | 'values'>): Promise<NonNullable<Acted['problems']>> {
  const act: Act = { id: question, actionId: option, version: getState().window.version, ...given };
  const { problems = [] } = await host('act', act);
  return problems;
}

export async function setMode(mode: string): Promise<void> {
  const { sessionId, chosen } = getState();
  if (sessionId === undefined) {
    setState({ chosen: { ...chosen, mode } });
    return;
  }
  const { session } = await server<{ session: SessionInfo }>('emendo/session/setMode', { sessionId, mode });
  setState({ session });
}

export async function setModel(model: string): Promise<void> {
  const { sessionId, chosen } = getState();
  if (sessionId === undefined) {
    setState({ chosen: { ...chosen, model } });
    return;
  }
  const { session } = await server<{ session: SessionInfo }>('emendo/session/setModel', { sessionId, model });
  setState({ session });
}
