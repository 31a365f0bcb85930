/**
 * The types of emendo's own part of the wire, as docs/protocol.md has them.
 * Positions and ranges are LSP's: zero-based, in UTF-16, which is the encoding
 * that VS Code asks for.
 */
import type { Action, Text } from './view';

export interface Position {
  line: number;
  character: number;
}

export interface Range {
  start: Position;
  end: Position;
}

export type SessionStatus = 'idle' | 'running' | 'waiting';

export interface SessionInfo {
  sessionId: string;
  title: string;
  summary?: string;
  cwd: string;
  roots: string[];
  createdAt: string;
  updatedAt: string;
  model: string;
  mode: string;
  turns: number;
  usage: Usage;
  status?: SessionStatus;
  pendingHunks?: number;
  /** What lists show of it: its title, and what it does, its edits that wait, its turns. */
  label?: Text;
  note?: Text;
  actions?: Action[];
}

export interface Cost {
  amount: number;
  currency: string;
  estimated: boolean;
  /** The prices of some tokens are not known. */
  atLeast?: boolean;
}

export interface Usage {
  inputTokens: number;
  outputTokens: number;
  cachedTokens: number;
  thoughtTokens: number;
  toolTokens: number;
  totalTokens: number;
  contextLimit: number;
  cost?: Cost;
}

/** A block of a prompt or of an answer, as the Agent Client Protocol has it. */
export type ContentBlock =
  | { type: 'text'; text: string; _meta?: Meta }
  | { type: 'image'; data: string; mimeType: string; uri?: string; _meta?: Meta }
  | { type: 'audio'; data: string; mimeType: string; _meta?: Meta }
  | { type: 'resource_link'; uri: string; name: string; mimeType?: string; _meta?: Meta }
  | { type: 'resource'; resource: { uri: string; text?: string; blob?: string; mimeType?: string }; _meta?: Meta };

/** `_meta`; ours is below `emendo`. */
export interface Meta {
  emendo?: Record<string, unknown>;
  [other: string]: unknown;
}

export type StopReason =
  | 'end_turn'
  | 'max_tokens'
  | 'max_turn_requests'
  | 'refusal'
  | 'cancelled'
  | '_emendo/loop'
  | '_emendo/blocked'
  | '_emendo/error';

export type ToolState =
  | 'validating'
  | 'scheduled'
  | 'awaiting_approval'
  | 'awaiting_review'
  | 'executing'
  | 'success'
  | 'error'
  | 'cancelled';

export type ToolContent =
  | { type: 'content'; content: ContentBlock }
  | { type: 'diff'; path: string; oldText?: string | null; newText: string }
  | { type: 'terminal'; terminalId: string };

export interface ToolMeta {
  state?: ToolState;
  errorType?: string;
  durationMs?: number;
  pid?: number;
  changeSetId?: string;
  rule?: string;
  reason?: string;
  sandbox?: 'A' | 'B' | 'C';
  /** What it came to, in a few words. */
  summary?: string;
  exitCode?: number;
  signal?: string;
  parentToolCallId?: string;
  /** What was added to the output since the last update, for a client that declared `outputDelta`. */
  outputDelta?: string;
}

export interface ToolCall {
  toolCallId: string;
  title?: string;
  kind?: string;
  status?: 'pending' | 'in_progress' | 'completed' | 'failed';
  content?: ToolContent[];
  locations?: { path: string; line?: number }[];
  rawInput?: unknown;
  rawOutput?: unknown;
  _meta?: { emendo?: ToolMeta };
}

export interface PlanEntry {
  content: string;
  priority: 'high' | 'medium' | 'low';
  status: 'pending' | 'in_progress' | 'completed' | 'cancelled';
}

export interface FileSummary {
  uri: string;
  added: number;
  removed: number;
  changeSetId?: string;
}

export type Update =
  | { sessionUpdate: 'user_message_chunk'; content: ContentBlock; messageId: string }
  | { sessionUpdate: 'agent_message_chunk'; content: ContentBlock; messageId: string }
  | { sessionUpdate: 'agent_thought_chunk'; content: ContentBlock; messageId: string; _meta?: { emendo?: { subject?: string } } }
  | ({ sessionUpdate: 'tool_call' } & ToolCall)
  | ({ sessionUpdate: 'tool_call_update' } & ToolCall)
  | { sessionUpdate: 'plan'; entries: PlanEntry[] }
  | { sessionUpdate: 'available_commands_update'; availableCommands: AvailableCommand[] }
  | { sessionUpdate: 'current_mode_update'; currentModeId: string }
  | { sessionUpdate: 'config_option_update'; [field: string]: unknown }
  | { sessionUpdate: 'session_info_update'; title?: string; updatedAt?: string; _meta?: { emendo?: Partial<SessionInfo> } }
  | { sessionUpdate: 'usage_update'; used: number; size: number; _meta?: { emendo?: Usage } }
  | { sessionUpdate: 'notice'; severity: 'info' | 'warning' | 'error'; title: string; description: string; _meta?: { emendo?: { code?: string; [more: string]: unknown } } }
  | { sessionUpdate: 'compaction_update'; status: 'in_progress' | 'completed' | 'failed'; _meta?: { emendo?: { originalTokens?: number; newTokens?: number } } }
  | { sessionUpdate: '_emendo/retract'; messageId: string }
  | { sessionUpdate: '_emendo/response_finished'; reason: string; usage: Usage; _meta?: { emendo?: { model?: string } } }
  | { sessionUpdate: '_emendo/turn_ended'; stopReason: StopReason; usage: Usage; durationMs?: number; files?: FileSummary[] }
  | { sessionUpdate: '_emendo/queue'; items: QueueItem[]; paused?: boolean }
  | { sessionUpdate: '_emendo/rewound'; turnId: string };

export interface AvailableCommand {
  name: string;
  description: string;
  input?: { hint: string } | null;
}

/** The params of emendo/session/update. */
export interface SessionUpdate {
  sessionId: string;
  /** Counts the session's updates from one; absent on those that are not part of the history. */
  seq?: number;
  turnId?: string;
  replay?: boolean;
  update: Update;
}

export type InjectHow = 'steer' | 'queue' | 'interrupt';

export interface QueueItem {
  turnId: string;
  messageId: string;
  how: InjectHow;
  prompt: ContentBlock[];
}

export interface Mode {
  id: string;
  name: string;
  description?: string;
}

export interface ModelInfo {
  id: string;
  label: Text;
  /** What is to be known of it, or why it cannot be chosen. */
  note?: Text;
  contextLimit?: number;
  available: boolean;
}

/** The params of emendo/status. */
export interface Status {
  kind: 'ready' | 'busy' | 'warning' | 'error' | 'signed_out' | 'restricted';
  message: string;
  sessionId?: string;
  model?: string;
  mode?: string;
  usage?: Usage;
  pendingHunks?: number;
  command?: { title: string; command: string; arguments?: unknown[] };
  sandbox?: 'A' | 'B' | 'C';
}

export interface CompletionItem {
  label: string;
  kind: string;
  detail?: string;
  insertText: string;
  /** Offsets into the text, in UTF-16 units. */
  range: { start: number; end: number };
  block?: ContentBlock;
}

/** What is shown of an entry of a list. */
export interface ListEntry {
  label: Text;
  note: Text;
}

export interface ContextItem extends ListEntry {
  kind: string;
  /** The name of the kind. */
  group: Text;
  source: string;
  size: number;
  /** The file's URI, where the item is one. */
  uri?: string;
}

/** `data` of an error that a request is answered with. */
export interface ErrorData {
  code?: string;
  /** What the user reads, and what helps. */
  text?: Text;
  actions?: Action[];
}

/** The answer of initialize below `capabilities.experimental.emendo`. */
export interface ServerAbilities {
  version: number;
  modes: Mode[];
  models: { id: string; name: string; description?: string }[];
  commands: AvailableCommand[];
}
