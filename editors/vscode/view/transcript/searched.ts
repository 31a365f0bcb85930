import { visible, visibleLine } from '../../src/shared/visible';
import type { ContentBlock } from '../../src/shared/wire';
import { shortPath } from '../format/paths';
import { cut } from '../markdown/cut';
import { readable } from '../markdown/render';
import type { Item, ToolItem, Turn } from '../state/conversation';
import { contentText } from '../state/output';
import type { State } from '../state/store';
import { compare, readUnified, shownLines, type DiffLine } from './diff';
import { plainOutput, shownOutput } from './terminal';

/** A longer text is searched as it was written: reading its Markdown takes too long. */
const longest = 200_000;

/**
 * The texts of a turn in which something can be found, each of them read as one:
 * what the page shows once the turn is drawn and all of it is unfolded, without
 * the marks of Markdown and without what the view says itself. The page has the
 * last word: its own texts count as soon as the turn is drawn.
 */
export function searchedTexts({ items, end }: Turn, state: Pick<State, 'changes' | 'folders'>): string[] {
  return [
    ...items.flatMap((item) => [...itemTexts(item), ...(item.kind === 'tool' ? fileTexts(item, state) : [])]),
    ...(end?.files ?? []).map(({ uri }) => shortPath(uri, state.folders)),
  ];
}

/** Items do not change, and reading Markdown takes time. */
const known = new WeakMap<Item, string[]>();

function itemTexts(item: Item): string[] {
  const texts = known.get(item) ?? read(item);
  known.set(item, texts);
  return texts;
}

function read(item: Item): string[] {
  switch (item.kind) {
    case 'prompt':
      return [...item.blocks.map(attached), item.blocks.map(written).filter(Boolean).join('\n')];
    case 'message':
      return markdown(item.text);
    case 'thought':
      return [item.subject, ...markdown(item.text)];
    case 'tool':
      return toolTexts(item);
    case 'plan':
      return item.entries.map(({ content }) => content);
    case 'notice':
      return [`${item.title} ${item.description}`];
    case 'compaction':
      return [];
  }
}

function markdown(text: string): string[] {
  return text.length > longest ? [text] : readable(text);
}

/** What the user wrote in a block; empty for what they added. */
function written(block: ContentBlock): string {
  return block.type === 'text' && block._meta?.emendo?.['kind'] === undefined ? block.text : '';
}

/** The name of what a block adds to a prompt. */
function attached(block: ContentBlock): string {
  const label = block._meta?.emendo?.['label'];
  if (typeof label === 'string') {
    return visibleLine(label);
  }
  return block.type === 'resource_link' ? visibleLine(block.name) : block.type === 'resource' ? visibleLine(block.resource.uri) : '';
}

function toolTexts({ call, meta, output }: ToolItem): string[] {
  const text = contentText(call.content);
  return [
    visibleLine(call.title ?? ''),
    visibleLine(meta.rule ?? ''),
    visible(meta.reason ?? ''),
    ...(output === '' ? markdown(text || (meta.summary ?? '')) : [visible(plainOutput(shownOutput(output).text).trimEnd())]),
  ];
}

/** The files that a call is about, and their diffs. */
function fileTexts({ call, meta }: ToolItem, { changes, folders }: Pick<State, 'changes' | 'folders'>): string[] {
  const places = (call.locations ?? []).map(({ path, line }) => shortPath(path, folders) + (line === undefined ? '' : `:${line}`));
  const set = meta.changeSetId === undefined ? undefined : changes.get(meta.changeSetId);
  const diffs: { path: string; lines: DiffLine[] }[] = set
    ? set.files.map(({ uri, diff }) => ({ path: uri, lines: readUnified(diff) }))
    : (call.content ?? []).flatMap((part) => (part.type === 'diff' ? [{ path: part.path, lines: compare(part.oldText ?? '', part.newText) }] : []));
  const changed = diffs.flatMap(({ path, lines }) => [shortPath(path, folders), lines.slice(0, shownLines).map(({ text }) => visible(cut(text).text)).join('\n')]);
  return [...places, ...changed];
}
