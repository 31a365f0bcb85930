import * as vscode from 'vscode';
import type { Questions } from '../questions';
import type { Server } from '../server/server';
import type { ChangeSet, ChangesDidChange, ContentBlock, SessionInfo, SessionUpdate, StopReason } from '../shared/wire';

/** What a session beside the conversation came to. */
export interface Outcome {
  stopReason: StopReason;
  /** The text of the last answer. */
  answer: string;
  /** Whether edits were proposed. */
  proposed: boolean;
}

export interface AsideOptions {
  server: Server;
  questions: Questions;
  /** What it is for, in a sentence: the questions that it asks are shown with that. */
  title: string;
  mode: 'default' | 'plan';
  prompt: ContentBlock[];
  token: vscode.CancellationToken;
  /** Is called once, when the first edit is proposed. The turn then waits for the user's decisions. */
  onProposed?: (changeSet: ChangeSet) => void;
}

/**
 * Runs one prompt in a session of its own, which no list names and nothing
 * stores, and deletes it when the turn has ended.
 */
export async function aside({ server, questions, title, mode, prompt, token, onProposed }: AsideOptions): Promise<Outcome> {
  const { session } = await server.request<{ session: SessionInfo }>('emendo/session/new', { ephemeral: true, mode });
  const { sessionId } = session;
  let answer = '';
  let message = '';
  let proposed = false;
  const listening = [
    questions.beside(sessionId, title),
    server.onNotification<SessionUpdate>('emendo/session/update', (params) => {
      const { update } = params;
      if (params.sessionId !== sessionId) {
        return;
      }
      if (update.sessionUpdate === '_emendo/retract' && update.messageId === message) {
        answer = '';
      } else if (update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text') {
        answer = update.messageId === message ? answer + update.content.text : update.content.text;
        message = update.messageId;
      }
    }),
    server.onNotification<ChangesDidChange>('emendo/changes/didChange', (params) => {
      if (!proposed && 'changeSet' in params && params.changeSet.sessionId === sessionId) {
        proposed = true;
        onProposed?.(params.changeSet);
      }
    }),
    token.onCancellationRequested(() => server.notify('emendo/session/cancel', { sessionId })),
  ];
  try {
    const { stopReason } = await server.request<{ stopReason: StopReason }>('emendo/session/prompt', { sessionId, prompt });
    return { stopReason, answer, proposed };
  } finally {
    listening.forEach((listener) => listener.dispose());
    await server.request('emendo/session/close', { sessionId }).catch(() => {}); // a server that ended has closed it
  }
}
