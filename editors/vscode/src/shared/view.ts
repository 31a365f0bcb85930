/**
 * The types of a conversation as items, of the window's view too, as docs/protocol.md
 * has them. What is not known among looks, codes and ids is drawn without its sign.
 */
import type { ContentBlock, Range, SessionInfo } from './wire';

/** Plain English, with a code and arguments for translation. */
export interface Text {
  text: string;
  code?: string;
  args?: Record<string, string | number>;
  /** Where there is little room. */
  short?: string;
}

export interface Place {
  uri: string;
  /** Where it is after a rename. */
  newUri?: string;
  range?: Range;
}

/** A line of a diff without its end; "…" for lines that are left out. `words` are the spans that changed. */
export type Row = ['=' | '-' | '+' | '…', string, [number, number][]?];

export interface Part {
  kind: 'markdown' | 'text' | 'output' | 'code' | 'diff' | 'image';
  label?: Text;
  lang?: string;
  place?: Place;
  text?: string;
  rows?: Row[];
  mimeType?: string;
  data?: string;
  /** Of content that is not sent: emendo/view/item brings it. */
  size?: number;
  /** Characters that are left out: of an output at its beginning, of others at the end. */
  omitted?: number;
}

/** A fact about an item, or a member of it. */
export interface Line {
  id?: string;
  label?: Text;
  text: Text;
  look?: string;
  state?: ItemState;
  /** From 0 to 1. */
  share?: number;
  place?: Place;
  action?: Action | string;
}

export type ItemKind = 'turn' | 'user' | 'answer' | 'thought' | 'call' | 'plan' | 'notice' | 'queued' | 'status' | 'file' | 'task' | 'welcome';

export type ItemState = 'waiting' | 'asks' | 'running' | 'done' | 'failed' | 'denied' | 'rejected' | 'cancelled' | 'interrupted';

export interface Item {
  id: string;
  parent?: string;
  kind: ItemKind;
  state?: ItemState;
  look?: string;
  title: Text;
  /** At the end of the title's line. */
  note?: Text;
  lines?: Line[];
  parts?: Part[];
  place?: Place;
  /** When it began, and when its wait ends. */
  at?: string;
  until?: string;
  actions?: (Action | string)[];
}

/** What the user can do with an item; an id alone is that of the view's `verbs`. */
export interface Action {
  id: string;
  title: Text;
  detail?: Text;
  look?: string;
  danger?: true;
  fields?: Field[];
  /** What the client does by itself, without emendo/view/act. */
  steps?: Step[];
}

export interface Field {
  id: string;
  label: Text;
  hint?: Text;
  type: 'text' | 'line' | 'choice' | 'number' | 'url';
  choices?: { value: string; title: Text; detail?: Text }[];
  many?: boolean;
  other?: boolean;
  required?: boolean;
  values?: string[];
}

/** What only the client can do. */
export type Step =
  | { open: Place }
  | { diff: { place: Place; old: string; new: string }[] }
  | { edit: string; blocks?: ContentBlock[]; place?: Place }
  | { copy: string }
  | { compose: string; blocks?: ContentBlock[] }
  | { show: string }
  | { terminal: { sessionId: string; pid: number; title: Text } }
  | { client: 'signIn' | 'trust' | 'model' | 'mode' | 'context' | 'log' | 'doctor' };

export interface Question {
  id: string;
  sessionId?: string;
  itemId?: string;
  code: string;
  /** What it is for, where it is asked beside a conversation. */
  from?: Text;
  title: Text;
  /** One line; with `whole` it says everything. */
  brief: Text;
  whole?: true;
  parts: Part[];
  lines: Line[];
  fields?: Field[];
  options: Action[];
}

export interface HunkView {
  id: string;
  changeSetId: string;
  hunkId: string;
  sessionId?: string;
  itemId?: string;
  fileId: string;
  state: 'pending' | 'unreviewed' | 'conflicted';
  /** That of the document's `version`. */
  range: Range;
  version?: number;
  label: Text;
  marks?: Line[];
  rows?: Row[];
  actions: (Action | string)[];
}

/** The answer of emendo/view/get: a conversation, or what belongs to the window. */
export interface View {
  sessionId?: string;
  version: number;
  session?: SessionInfo;
  status?: Item;
  items: Item[];
  /** There are more before the first item: `before` brings them. */
  earlier?: true;
  questions: Question[];
  hunks?: HunkView[];
  verbs: Action[];
}

/** One change of a view. `after` is the sibling that it stands behind; null: it is the first. */
export type Change =
  | { item: Item; after?: string | null }
  | { question: Question; after?: string | null }
  | { hunk: HunkView }
  | { status: Item }
  | { session: SessionInfo }
  | { append: string; part?: number; text: string; omitted?: number }
  | { move: string; version?: number; lines: [from: number, by: number][] }
  | { drop: string[] };

/** The params of emendo/view/didChange. */
export interface ViewDidChange {
  sessionId?: string;
  version: number;
  changes: Change[];
}

/** The params of emendo/view/act. */
export interface Act {
  sessionId?: string;
  id: string;
  actionId: string;
  version: number;
  text?: string;
  values?: Record<string, string[]>;
  blocks?: ContentBlock[];
}

/** The answer of emendo/view/act. With `problems` what was written stays. */
export interface Acted {
  steps?: Step[];
  problems?: { field: string; text: Text }[];
  /** What was done, to be said for a while, with what undoes it. It is in no view. */
  notice?: Item;
}
