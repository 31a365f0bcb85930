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
  cwd: string;
  updatedAt: string;
  model: string;
  mode: string;
  status?: SessionStatus;
  pendingHunks?: number;
  /** What lists show of it: its title, and what it does, its edits that wait, its turns. */
  label?: Text;
  note?: Text;
  actions?: Action[];
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

export interface AvailableCommand {
  name: string;
  description: string;
  input?: { hint: string } | null;
}

export type InjectHow = 'steer' | 'queue' | 'interrupt';

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
}
