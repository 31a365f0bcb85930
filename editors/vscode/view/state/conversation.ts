import type {
  ContentBlock,
  FileSummary,
  PlanEntry,
  QueueItem,
  StopReason,
  ToolCall,
  ToolMeta,
  Usage,
} from '../../src/shared/wire';

/**
 * What a session's updates add up to. A value is never changed: an update makes
 * a new one that shares every turn and item that it does not touch, so that the
 * view draws again only what is another object than before.
 */
export interface Conversation {
  readonly turns: readonly Turn[];
  /** The number of the last update that is part of this. */
  readonly lastSeq: number;
  readonly queue: readonly QueueItem[];
  /** Whether the queue waits for the user after a cancelled turn. */
  readonly queuePaused: boolean;
  /** The model's to-do list, as it was sent last. */
  readonly plan: readonly PlanEntry[];
  readonly usage?: Usage;
  /** Tokens of the last request, and how many the model takes. */
  readonly context?: { used: number; size: number };
  readonly mode?: string;
}

export type TurnState = 'running' | 'ended' | 'interrupted';

export interface Turn {
  /** The server's ID; empty for what came outside of turns. */
  readonly id: string;
  readonly state: TurnState;
  readonly items: readonly Item[];
  /** How many updates made them, for keys that are not used again. */
  readonly made: number;
  /** The model that answered, once it is known. */
  readonly model?: string;
  readonly end?: TurnEnd;
  /** Why the request for this turn failed. */
  readonly error?: TurnError;
}

export interface TurnEnd {
  readonly stopReason: StopReason;
  readonly usage: Usage;
  readonly durationMs?: number;
  readonly files?: readonly FileSummary[];
}

export interface TurnError {
  readonly message: string;
  /** The `code` of the error's data, as docs/protocol.md lists them. */
  readonly code?: string;
}

export type Item = PromptItem | MessageItem | ThoughtItem | ToolItem | PlanItem | NoticeItem | CompactionItem;

interface Keyed {
  /** Is unique in its turn and stays the same as long as the item exists. */
  readonly key: string;
}

/** What the user wrote: the turn's prompt, or one that steered it. */
export interface PromptItem extends Keyed {
  readonly kind: 'prompt';
  readonly messageId: string;
  readonly blocks: readonly ContentBlock[];
}

/** A part of the answer: Markdown, and images. */
export interface MessageItem extends Keyed {
  readonly kind: 'message';
  readonly messageId: string;
  readonly text: string;
  /** Blocks that are not text. */
  readonly blocks: readonly ContentBlock[];
}

export interface ThoughtItem extends Keyed {
  readonly kind: 'thought';
  readonly messageId: string;
  readonly subject: string;
  readonly text: string;
}

export interface ToolItem extends Keyed {
  readonly kind: 'tool';
  readonly call: ToolCall;
  readonly meta: ToolMeta;
  /** What it wrote, whether that came whole or bit by bit. */
  readonly output: string;
}

export interface PlanItem extends Keyed {
  readonly kind: 'plan';
  readonly entries: readonly PlanEntry[];
}

export interface NoticeItem extends Keyed {
  readonly kind: 'notice';
  readonly severity: 'info' | 'warning' | 'error';
  readonly title: string;
  readonly description: string;
  readonly code: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface CompactionItem extends Keyed {
  readonly kind: 'compaction';
  readonly status: 'in_progress' | 'completed' | 'failed';
  readonly originalTokens?: number;
  readonly newTokens?: number;
}

export const emptyConversation: Conversation = {
  turns: [],
  lastSeq: 0,
  queue: [],
  queuePaused: false,
  plan: [],
};

/** The turn that runs, if one does. */
export function runningTurn(conversation: Conversation): Turn | undefined {
  return conversation.turns.findLast((turn) => turn.state === 'running');
}
