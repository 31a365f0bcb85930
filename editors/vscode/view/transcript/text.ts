import { contentText } from '../state/output';
import { plainOutput } from './terminal';
import type { Conversation, Item, NoticeItem, PromptItem, Turn } from '../state/conversation';
import type { ContentBlock } from '../../src/shared/wire';

/** The text of a prompt, as it was written; what is not text is named. */
export function promptText(blocks: readonly ContentBlock[]): string {
  return blocks
    .map((block) => {
      switch (block.type) {
        case 'text':
          return block.text;
        case 'resource_link':
          return `@${block.name}`;
        case 'resource':
          return `@${block.resource.uri}`;
        case 'image':
        case 'audio':
          return `[${block.type}]`;
      }
    })
    .join('\n');
}

/** A turn as Markdown, to be copied. */
export function turnMarkdown(turn: Turn): string {
  return turn.items
    .map(itemMarkdown)
    .filter((text) => text !== '')
    .join('\n\n');
}

/** A whole conversation as Markdown. */
export function conversationMarkdown({ turns }: Conversation): string {
  return `${turns.map(turnMarkdown).join('\n\n---\n\n')}\n`;
}

/** An item as Markdown; empty for what says nothing later. */
export function itemMarkdown(item: Item): string {
  switch (item.kind) {
    case 'prompt':
      return quote(promptText(item.blocks));
    case 'message':
      return item.text.trimEnd();
    case 'tool': {
      const { title, status } = item.call;
      const output = plainOutput(item.output || contentText(item.call.content)).trimEnd();
      const head = `**${(title ?? '').replaceAll('\n', ' ')}**${status === 'failed' ? ' (failed)' : ''}`;
      return output === '' ? head : `${head}\n\n${fenced(output)}`;
    }
    case 'plan':
      return item.entries.map(({ content, status }) => `- [${status === 'completed' ? 'x' : ' '}] ${content}`).join('\n');
    case 'notice':
      return item.severity === 'info' ? '' : `*${item.title}* ${item.description}`.trim();
    case 'thought':
    case 'compaction':
      return '';
  }
}

function quote(text: string): string {
  return text.replace(/^/gm, '> ').replace(/> $/gm, '>');
}

/** Code between fences that are longer than any in it. */
function fenced(code: string): string {
  const longest = Math.max(2, ...[...code.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${code}\n${fence}`;
}

/** Kinds of calls that say by themselves what they did. */
const edits = new Set(['edit', 'delete', 'move']);

/** Reports whether a turn ended by itself and its last call was never answered: some models say nothing after a result. */
export function lacksAnswer({ items, end }: Pick<Turn, 'items' | 'end'>): boolean {
  const last = items.findLast((item) => item.kind === 'tool' || (item.kind === 'message' && (item.text.trim() !== '' || item.blocks.length > 0)));
  return end?.stopReason === 'end_turn' && last?.kind === 'tool' && last.meta.errorType !== 'stop_execution' && !edits.has(last.call.kind ?? '');
}

/** Whether nothing came of a turn but its prompt and notices, so that another attempt can take its place. */
export function cameToNothing({ items }: Pick<Turn, 'items'>): boolean {
  return items.every((item) => item.kind === 'prompt' || item.kind === 'notice');
}

/** The notice that says why a turn failed. It is shown with what can be done about it, at the end of the turn, and there alone. */
export function failureOf({ items, end, error, state }: Pick<Turn, 'items' | 'end' | 'error' | 'state'>): NoticeItem | undefined {
  const failed = state !== 'running' && (error !== undefined || end?.stopReason === '_emendo/error');
  return failed ? items.findLast((item): item is NoticeItem => item.kind === 'notice' && item.severity === 'error') : undefined;
}

/** The prompt that began a turn. */
export function firstPrompt(turn: Turn): PromptItem | undefined {
  return turn.items.find((item) => item.kind === 'prompt');
}
