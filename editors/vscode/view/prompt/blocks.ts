import type { Chip } from '../../src/shared/messages';
import type { ContentBlock } from '../../src/shared/wire';

/** What a prompt box has. */
export interface Draft {
  text: string;
  chips: readonly Chip[];
}

/**
 * Returns the prompt's blocks: the text first, because a slash command begins
 * the first block, then what the chips stand for. None for an empty box.
 */
export function toBlocks({ text, chips }: Draft): ContentBlock[] {
  const said: ContentBlock[] = text.trim() === '' ? [] : [{ type: 'text', text: text.trimEnd() }];
  return [...said, ...chips.map(({ block, kind, label }) => named(block, kind, label))];
}

/** Returns what was in the box from which the blocks came. */
export function fromBlocks(blocks: readonly ContentBlock[]): Draft {
  const text: string[] = [];
  const chips: Chip[] = [];
  blocks.forEach((block, index) => {
    const { kind, label } = (block._meta?.emendo ?? {}) as { kind?: string; label?: string };
    if (block.type === 'text' && kind === undefined) {
      text.push(block.text);
    } else {
      const { usual, name } = described(block);
      chips.push({ id: `block:${index}:${name}`, kind: kind ?? usual, label: label ?? name, block });
    }
  });
  return { text: text.join('\n'), chips };
}

/** Adds chips to those that are there, without doubles. */
export function withChips(chips: readonly Chip[], more: readonly Chip[]): readonly Chip[] {
  const have = new Set(chips.map(({ id }) => id));
  const fresh = more.filter(({ id }) => !have.has(id) && have.add(id));
  return fresh.length === 0 ? chips : [...chips, ...fresh];
}

function named(block: ContentBlock, kind: string, label: string): ContentBlock {
  return { ...block, _meta: { ...block._meta, emendo: { ...block._meta?.emendo, kind, label } } };
}

function described(block: ContentBlock): { usual: string; name: string } {
  switch (block.type) {
    case 'text':
      return { usual: 'text', name: block.text.slice(0, 40) };
    case 'image':
    case 'audio':
      return { usual: block.type, name: block.mimeType };
    case 'resource_link':
      return { usual: 'file', name: block.name };
    case 'resource':
      return { usual: 'file', name: last(block.resource.uri) };
  }
}

function last(uri: string): string {
  return uri.slice(uri.lastIndexOf('/') + 1) || uri;
}
