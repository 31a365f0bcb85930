import type { Chip } from '../../src/shared/messages';
import type { CompletionItem } from '../../src/shared/wire';

/** The word at the cursor that can be completed. */
export interface Trigger {
  sign: '@' | '/';
  /** Where the sign is, in the text. */
  start: number;
  /** What was typed after it. */
  query: string;
}

/** What the popup offers: text for the word, a chip, or both. */
export interface Offer {
  key: string;
  kind: string;
  label: string;
  detail: string;
  /** Takes the place of the text in the range. */
  insert: string;
  range: { start: number; end: number };
  chip?: Chip;
}

const atSign = /(?:^|[\s([{,;:])@("[^"\n]*|(?:\\.|[^\s"\\])*)$/;
const slash = /^\s*\/([\w:.-]*)$/;
const most = 50;

/** Finds the word at the cursor: a command at the text's start, or a name behind an `@`. */
export function triggerAt(text: string, offset: number): Trigger | undefined {
  const before = text.slice(0, offset);
  const command = slash.exec(before);
  if (command) {
    return { sign: '/', start: before.indexOf('/'), query: command[1]! };
  }
  const name = atSign.exec(before);
  if (!name) {
    return undefined;
  }
  const typed = name[1]!;
  return { sign: '@', start: offset - typed.length - 1, query: typed.replace(/^"/, '').replace(/\\(.)/g, '$1') };
}

/** The kinds of host items that a word names, such as `@problems`; they come before names of files. */
const special = new Set(['selection', 'problems', 'terminal']);

/**
 * Brings together what the server and the editor offer, each thing once. The
 * server's order is kept; of a kind that the server knows, its items count.
 */
export function merge(trigger: Trigger, offset: number, items: readonly CompletionItem[], chips: readonly Chip[]): Offer[] {
  const range = { start: trigger.start, end: offset };
  const offers = items.map(fromServer);
  const known = new Set(items.map(({ kind }) => kind));
  const uris = new Set(items.flatMap(({ block }) => (block?.type === 'resource_link' ? [block.uri] : [])));
  const extra = chips.filter(({ kind, block }) =>
    kind === 'editor' ? block.type === 'resource_link' && !uris.has(block.uri) : !known.has(kind),
  );
  const own = (chip: Chip): Offer => fromHost(chip, range);
  const first = extra.filter(({ kind }) => special.has(kind)).map(own);
  const rest = extra.filter(({ kind }) => !special.has(kind)).map(own);
  const all = trigger.query === '' ? [...first, ...rest, ...offers] : [...first, ...offers, ...rest];
  return all.slice(0, most);
}

/** What is offered for a chip leaves its name in the sentence where it is one; without a chip the server's text names it. */
function fromServer({ label, kind, detail = '', insertText, range, block }: CompletionItem): Offer {
  const key = `${kind}:${insertText}:${label}`;
  if (!block) {
    return { key, kind, label, detail, insert: insertText, range };
  }
  const id = block.type === 'resource_link' ? `${block.uri}${JSON.stringify(block._meta?.range ?? '')}` : insertText;
  const chip = { id: `${kind}:${id}`, kind, label: last(label), detail: detail || label, block };
  return { key, kind, label, detail, insert: inSentence(kind, label), range, chip };
}

function fromHost(chip: Chip, range: Offer['range']): Offer {
  const { id: key, kind, label, detail = '' } = chip;
  return { key, kind, label, detail, range, insert: inSentence(kind, label), chip };
}

/** The last part of a path: chips are narrow. */
function last(path: string): string {
  return path.slice(path.lastIndexOf('/', path.length - 2) + 1);
}

const named = new Set(['file', 'editor', 'folder', 'symbol']);

function inSentence(kind: string, label: string): string {
  return named.has(kind) ? `${label} ` : '';
}
