/**
 * The messages between a view and the extension. A view renders what the server
 * sends and asks for what the user does; it holds no state that the server has.
 * Several views may be open, each on a session of its own.
 */
import type {
  ContentBlock,
  Mode,
} from './wire';
import type { Act, Acted, Change, Place, Step, View } from './view';

/** The server's requests that a view may make through the extension. */
export const serverMethods = [
  'emendo/session/new',
  'emendo/session/list',
  'emendo/session/prompt',
  'emendo/session/inject',
  'emendo/session/setMode',
  'emendo/session/setModel',
  'emendo/models/list',
  'emendo/context/list',
  'emendo/context/exclude',
  'emendo/prompt/complete',
  'emendo/view/item',
  'emendo/view/find',
] as const;

export type ServerMethod = (typeof serverMethods)[number];

/** A piece of context that goes with the next prompt, shown as a chip. */
export interface Chip {
  id: string;
  /** What it is: the kinds of emendo/prompt/complete, and `image`. */
  kind: string;
  label: string;
  /** The whole path or the lines, for the tooltip. */
  detail?: string;
  block: ContentBlock;
  /** What it stands for is looked up when it is chosen: HostRequests.resolve. */
  resolve?: true;
}

/** A file that was not attached, and why. */
export interface Refused {
  name: string;
  reason: string;
}

/** Something that does not go with a prompt. */
export interface Excluded {
  kind?: string;
  uri?: string;
}

/** What the user has written for the next prompt of a session. */
export interface StoredDraft {
  text: string;
  chips: Chip[];
  /** The keys of chips that are too large to be here: HostRequests.keptChips. */
  large?: string[];
  /** Whether what the editor shows is left out. */
  noContext?: true;
  /** What else is left out. */
  excluded?: Excluded[];
  /** When it was written, in milliseconds since 1970: the latest of two counts. */
  at: number;
}

/** Drafts by the IDs of their sessions; that of a session which begins with the prompt has the empty one. */
export type StoredDrafts = Record<string, StoredDraft>;

/** The prompt box as it is kept for the workspace. */
export interface StoredPrompt {
  drafts: StoredDrafts;
  /** The newest last. */
  history: string[];
}

/** What the editor would send with the next prompt without being asked to: the selection, or the file in front. */
export interface EditorContext {
  label?: string;
}

/**
 * What a view asks of the extension, by name. Each is answered once; those
 * without a result are answered with null.
 */
export interface HostRequests {
  /** Opens a file where the user reads it: one of the workspace, or that the server has named in an item or a question. */
  open: { params: { id?: string; place: Place }; result: null };
  /** Opens an http or https address in the browser, after VS Code's own question. Anything else is refused. */
  openLink: { params: { href: string }; result: null };
  copy: { params: { text: string }; result: null };
  /** Inserts text at the cursor of the editor that was last in use. */
  insert: { params: { text: string }; result: null };
  /** Opens the view of a session. What changes of it comes until the view shows another session. */
  view: { params: { sessionId: string }; result: View };
  /** Brings the page before the first item of a session's view. */
  earlier: { params: { sessionId: string }; result: null };
  /** Does what the user chose. The steps of the answer are those that are left for the view. */
  act: { params: Act; result: Acted };
  /** Runs one of the server's commands about code. */
  task: { params: { command: string; argument: Record<string, unknown> }; result: null };
  /** Opens what only the editor has. */
  client: { params: Extract<Step, { client: unknown }>; result: null };
  /** Items for `@` that only the editor knows: symbols, problems, open editors, the terminal's selection. */
  complete: { params: { query: string }; result: { items: Chip[] } };
  /** Looks up what a chip with `resolve` stands for. */
  resolve: { params: { chip: Chip }; result: { chip: Chip } };
  /** Lets the user choose files or images with the editor's own dialog. */
  pickFiles: { params: Record<string, never>; result: { chips: Chip[]; refused: Refused[] } };
  /** Reads files that were dropped as URIs. */
  dropped: { params: { uris: string[] }; result: { chips: Chip[]; refused: Refused[] } };
  /** Stores the draft of a session for the workspace, or forgets it if there is none, and adds to the history what was sent. */
  storePrompt: { params: { session?: string; draft?: StoredDraft; sent?: string }; result: null };
  /** Stores a chip of a draft that is too large for the draft itself. */
  keepChip: { params: { key: string; chip: Chip }; result: null };
  /** Returns those of the chips that are still stored. */
  keptChips: { params: { keys: string[] }; result: { chips: { key: string; chip: Chip }[] } };
  /** Opens the conversation's export in an untitled editor, or saves it to a file that the user chooses. */
  exportSession: { params: { sessionId: string; format: 'markdown' | 'json' }; result: null };
  /** Shows a session in a view of its own: an editor's tab. */
  openInEditor: { params: { sessionId: string }; result: null };
  /** Starts the server again after it ended. */
  restart: { params: Record<string, never>; result: null };
}

export type HostMethod = keyof HostRequests;

/** What a view sends. */
export type FromView =
  /** The view is there and wants `init`. `sessionId` is the one it showed before. */
  | { type: 'ready'; sessionId?: string }
  | { type: 'server'; id: number; method: ServerMethod; params: unknown }
  | { type: 'host'; id: number; method: HostMethod; params: unknown }
  /** The session that the view shows, and whether its user can see the end of it. */
  | { type: 'showing'; sessionId?: string }
  /** The title of that session, for the editor's tab. */
  | { type: 'title'; title: string }
  /** An error of the view's own, for the log. */
  | { type: 'log'; message: string };

export type ServerState =
  | { state: 'stopped' }
  | { state: 'starting' }
  | { state: 'running' }
  /** It ended and is not started again by itself; `message` says why and what to do. */
  | { state: 'failed'; message: string }
  /** There is no folder that it can work in. */
  | { state: 'unsupported'; message: string };

/** What a view needs to know before anything else. */
export interface Init {
  type: 'init';
  /** Where the view is: in a side bar, or in an editor's tab. */
  place: 'view' | 'editor';
  sessionId?: string;
  server: ServerState;
  modes: Mode[];
  /** The window's view, without hunks. */
  window: View;
  /** The sessions that have ended or asked something while no view showed them. */
  unread: string[];
  drafts: StoredDrafts;
  history: string[];
  editorContext: EditorContext;
  /** VS Code's language, and the strings of it: English text to translation. */
  language: string;
  strings: Record<string, string>;
  /** The paths of the workspace's folders. */
  folders: string[];
  settings: ViewSettings;
}

export interface ViewSettings {
  /** Whether Enter sends, or Ctrl+Enter alone. */
  sendOnEnter: boolean;
  expandThoughts: boolean;
}

/** What a view is sent. */
export type ToView =
  | Init
  | { type: 'result'; id: number; result: unknown }
  | { type: 'failure'; id: number; error: { code: number; message: string; data?: unknown } }
  /** A notification of the server's, as it came: emendo/sessions/didChange or emendo/models/didChange. */
  | { type: 'notification'; method: string; params: unknown }
  /** A view of the server's is another: all of it, the page before what there was, or changes. Without a session it is the window's. */
  | { type: 'view'; sessionId?: string; view: View }
  | { type: 'earlier'; sessionId?: string; earlier: View }
  | { type: 'changes'; sessionId?: string; version: number; changes: Change[] }
  | { type: 'server'; server: ServerState; modes?: Mode[] }
  | { type: 'unread'; sessions: string[] }
  | { type: 'editorContext'; context: EditorContext }
  | { type: 'settings'; settings: ViewSettings }
  /** Shows a session; a new one without an ID. */
  | { type: 'show'; sessionId?: string }
  /** The draft of a session, as some view stored it; none if it was forgotten. */
  | { type: 'draft'; session: string; draft?: StoredDraft }
  /** Puts text and chips into the prompt box; `send` sends them at once. */
  /** Has the server do a task in the session that the view shows, or in a new one. */
  | { type: 'task'; command: string; argument: Record<string, unknown> }
  | { type: 'compose'; text?: string; chips?: Chip[]; send?: boolean; focus: boolean }
  /** Does in the view what a key or a title button stands for. */
  | { type: 'do'; what: 'focusPrompt' | 'find' | 'stop' | 'sessions' | 'context' | 'mode' | 'model' | 'copyAll' | 'nextTurn' | 'previousTurn' | 'focusQuestion' };
