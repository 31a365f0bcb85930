/** What is pasted or dropped into the prompt box. */
import { host } from '../bridge';
import type { Chip, Refused } from '../../src/shared/messages';
import { maxText, size } from '../../src/shared/limits';
import { t, words } from '../strings';
import { imageChip, normalized } from './images';

export interface Transferred {
  chips: Chip[];
  refused: Refused[];
}

/** A pasted text that is longer becomes a chip. */
export const longPaste = { characters: 4000, lines: 40 };

let pasted = 0;

/** Reports whether a pasted text is so long that it would fill the box. */
export function isLong(text: string): boolean {
  return text.length > longPaste.characters || count(text) > longPaste.lines;
}

/** A chip for a long text that was pasted. */
export function pasteChip(text: string): Chip {
  const lines = count(text);
  const label = lines === 1 ? t(words.pastedSize, size(text.length)) : t(words.pastedLines, lines);
  const resource = { uri: `pasted:${++pasted}`, mimeType: 'text/plain', text };
  const detail = text.length > 300 ? `${text.slice(0, 300)}…` : text;
  return { id: `paste:${Date.now()}:${pasted}`, kind: 'paste', label, detail, block: { type: 'resource', resource } };
}

/** The text of a chip that can be put into the box instead; undefined for others. */
export function expanded({ kind, block }: Chip): string | undefined {
  return kind === 'paste' && block.type === 'resource' ? block.resource.text : undefined;
}

/** Reports whether something that is dragged over the view can be dropped. */
export function droppable(types: readonly string[]): boolean {
  return types.includes('Files') || lists.some((type) => types.includes(type));
}

/** VS Code's own list has more than one file of a drag from its explorer. */
const lists = ['application/vnd.code.uri-list', 'text/uri-list'];

/** Takes files, from the clipboard or from a drop: pictures as they are, others as text. */
export async function transfer(data: { uris: string[]; files: File[] }): Promise<Transferred> {
  const all: Transferred = { chips: [], refused: [] };
  if (data.uris.length > 0) {
    const { chips, refused } = await host('dropped', { uris: data.uris });
    all.refused.push(...refused);
    all.chips.push(...(await Promise.all(chips.map(normalized))));
    return all;
  }
  for (const file of data.files) {
    try {
      all.chips.push(await fileChip(file));
    } catch (error) {
      all.refused.push({ name: file.name, reason: (error as Error).message });
    }
  }
  return all;
}

/** Reads what a transfer has at once: it is empty after the event. */
export function contents(data: DataTransfer | null): { uris: string[]; files: File[] } {
  const list = lists.map((type) => data?.getData(type) ?? '').find((list) => list !== '') ?? '';
  const uris = list.split(/\r?\n/).filter((line) => line !== '' && !line.startsWith('#'));
  const files = [...(data?.files ?? [])];
  return { uris: uris.filter((uri) => !/^https?:/.test(uri)), files };
}

async function fileChip(file: File): Promise<Chip> {
  if (file.type.startsWith('image/') && file.type !== 'image/svg+xml') {
    return imageChip(file, file.name);
  }
  if (file.size > maxText) {
    throw new Error(t(words.tooLarge, size(file.size), size(maxText)));
  }
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer());
  } catch {
    throw new Error(t(words.notText));
  }
  return {
    id: `dropped:${file.name}:${file.size}:${file.lastModified}`,
    kind: 'file',
    label: file.name,
    detail: `${file.name} (${size(file.size)})`,
    block: { type: 'resource', resource: { uri: `dropped:${encodeURIComponent(file.name)}`, mimeType: 'text/plain', text } },
  };
}

function count(text: string): number {
  return text.split('\n').length;
}
