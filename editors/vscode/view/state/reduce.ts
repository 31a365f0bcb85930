import type { SessionUpdate, ToolCall, ToolMeta, Update } from '../../src/shared/wire';
import { contentText, unfenced } from './output';
import type { Conversation, Item, MessageItem, PromptItem, ThoughtItem, ToolItem, Turn } from './conversation';

/**
 * Adds updates to a conversation. Those that it has already, by their `seq`, are
 * passed over, so updates that are replayed may overlap with live ones. Only the
 * lists that change are copied, each once for all the updates.
 */
export function reduce(conversation: Conversation, updates: readonly SessionUpdate[]): Conversation {
  const draft = new Draft(conversation);
  for (const update of updates) {
    draft.add(update);
  }
  return draft.done();
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type MutableTurn = Mutable<Omit<Turn, 'items'>> & { items: Item[] };

class Draft {
  private readonly next: Mutable<Conversation>;
  private turns: Turn[] | undefined;
  /** The turns that are copies of this draft's own and may be changed. */
  private readonly own = new Set<Turn>();
  private changed = false;

  constructor(private readonly before: Conversation) {
    this.next = { ...before };
  }

  done(): Conversation {
    if (!this.changed) {
      return this.before;
    }
    if (this.turns) {
      this.next.turns = this.turns;
    }
    return this.next;
  }

  add({ seq, turnId, replay, update }: SessionUpdate): void {
    if (seq !== undefined) {
      if (seq <= this.next.lastSeq) {
        return;
      }
      this.next.lastSeq = seq;
    }
    this.changed = true;
    this.apply(update, turnId, replay === true);
  }

  private apply(update: Update, turnId: string | undefined, replay: boolean): void {
    switch (update.sessionUpdate) {
      case 'usage_update':
        this.next.context = { used: update.used, size: update.size };
        if (update._meta?.emendo) {
          this.next.usage = update._meta.emendo;
        }
        return;
      case 'current_mode_update':
        this.next.mode = update.currentModeId;
        return;
      case '_emendo/queue':
        this.next.queue = update.items;
        this.next.queuePaused = update.paused === true;
        return;
      case '_emendo/rewound':
        this.rewind(update.turnId);
        return;
      case '_emendo/turn_ended': {
        const turn = this.turn(turnId);
        const { stopReason, usage, durationMs, files } = update;
        turn.state = 'ended';
        turn.end = {
          stopReason,
          usage,
          ...(durationMs === undefined ? {} : { durationMs }),
          ...(files === undefined ? {} : { files }),
        };
        return;
      }
      case 'session_info_update':
      case 'config_option_update':
      case 'available_commands_update':
        return;
      default: {
        const turn = this.turn(turnId);
        addItem(turn, update);
        if (!replay && turn.end === undefined && turn.id !== '') {
          turn.state = 'running';
        }
        if (update.sessionUpdate === 'plan') {
          this.next.plan = update.entries;
        }
      }
    }
  }

  /** The turn with this ID, made if there is none, as a copy that may be changed. */
  private turn(id = this.list().at(-1)?.id ?? ''): MutableTurn {
    const turns = this.list();
    let index = turns.length - 1;
    while (index >= 0 && turns[index]!.id !== id) {
      index--;
    }
    const found = turns[index];
    if (found && this.own.has(found)) {
      return found as MutableTurn;
    }
    const copy: MutableTurn = found ? { ...found, items: [...found.items] } : { id, state: 'interrupted', items: [], made: 0 };
    this.own.add(copy);
    if (found) {
      turns[index] = copy;
    } else {
      turns.push(copy);
    }
    return copy;
  }

  private list(): Turn[] {
    return (this.turns ??= [...this.next.turns]);
  }

  private rewind(turnId: string): void {
    const index = this.list().findIndex((turn) => turn.id === turnId);
    if (index >= 0) {
      this.turns = this.list().slice(0, index);
      this.next.plan = this.turns.flatMap((turn) => turn.items.filter((item) => item.kind === 'plan')).at(-1)?.entries ?? [];
    }
  }
}

function addItem(turn: MutableTurn, update: Update): void {
  const { items } = turn;
  turn.made++;
  switch (update.sessionUpdate) {
    case 'user_message_chunk': {
      const { messageId, content } = update;
      const index = items.findLastIndex((item) => item.kind === 'prompt' && item.messageId === messageId);
      const item = items[index] as PromptItem | undefined;
      put(items, index, item ? { ...item, blocks: [...item.blocks, content] } : { kind: 'prompt', key: `prompt:${messageId}`, messageId, blocks: [content] });
      break;
    }
    case 'agent_message_chunk': {
      const { messageId, content } = update;
      const index = continued(items, 'message', messageId);
      const item: MessageItem =
        (items[index] as MessageItem | undefined) ?? { kind: 'message', key: `message:${messageId}:${turn.made}`, messageId, text: '', blocks: [] };
      put(items, index, content.type === 'text' ? { ...item, text: item.text + content.text } : { ...item, blocks: [...item.blocks, content] });
      break;
    }
    case 'agent_thought_chunk': {
      const { messageId, content } = update;
      const subject = update._meta?.emendo?.subject;
      const index = continued(items, 'thought', messageId);
      const item: ThoughtItem =
        (items[index] as ThoughtItem | undefined) ?? { kind: 'thought', key: `thought:${messageId}:${turn.made}`, messageId, subject: '', text: '' };
      put(items, index, { ...item, subject: subject ?? item.subject, text: item.text + (content.type === 'text' ? content.text : '') });
      break;
    }
    case 'tool_call':
    case 'tool_call_update': {
      const { sessionUpdate: _, ...call } = update;
      const index = items.findLastIndex((item) => item.kind === 'tool' && item.call.toolCallId === call.toolCallId);
      put(items, index, merge(items[index] as ToolItem | undefined, call));
      break;
    }
    case 'plan': {
      const index = items.findIndex((item) => item.kind === 'plan');
      put(items, index, { kind: 'plan', key: 'plan', entries: update.entries });
      break;
    }
    case 'notice': {
      const { severity, title, description } = update;
      const { code = '', ...data } = update._meta?.emendo ?? {};
      // Each attempt is a notice of its own; only the last one says anything.
      const last = items.length - 1;
      const repeated = code === 'retry' && items[last]?.kind === 'notice' && items[last].code === 'retry';
      const index = repeated ? last : -1;
      put(items, index, { kind: 'notice', key: items[index]?.key ?? `notice:${turn.made}`, severity, title, description, code, data });
      break;
    }
    case 'compaction_update': {
      const index = items.findLastIndex((item) => item.kind === 'compaction' && item.status === 'in_progress');
      const { originalTokens, newTokens } = update._meta?.emendo ?? {};
      put(items, index, {
        kind: 'compaction',
        key: items[index]?.key ?? `compaction:${turn.made}`,
        status: update.status,
        ...(originalTokens === undefined ? {} : { originalTokens }),
        ...(newTokens === undefined ? {} : { newTokens }),
      });
      break;
    }
    case '_emendo/retract':
      turn.items = items.filter((item) => !((item.kind === 'message' || item.kind === 'thought') && item.messageId === update.messageId));
      break;
    case '_emendo/response_finished':
      if (update._meta?.emendo?.model !== undefined) {
        turn.model = update._meta.emendo.model;
      }
      break;
  }
}

/** Puts an item in its place, or at the end when it has none. */
function put(items: Item[], index: number, item: Item): void {
  if (index >= 0) {
    items[index] = item;
  } else {
    items.push(item);
  }
}

/**
 * The place of the text that a chunk continues, or -1. Notices and plans come in
 * the middle of a text without ending it; thoughts, answers and calls follow
 * each other.
 */
function continued(items: readonly Item[], kind: 'message' | 'thought', messageId: string): number {
  const index = items.findLastIndex((item) => item.kind === 'message' || item.kind === 'thought' || item.kind === 'tool' || item.kind === 'prompt');
  const item = items[index];
  return item?.kind === kind && item.messageId === messageId ? index : -1;
}

/** Adds an update to a call. Fields that it does not have stay, as ACP has it. */
function merge(before: ToolItem | undefined, update: ToolCall): ToolItem {
  const { outputDelta, ...meta } = update._meta?.emendo ?? {};
  const merged: ToolMeta = { ...before?.meta, ...meta };
  const sent = update.content && (unfenced(contentText(update.content)) ?? '');
  return {
    kind: 'tool',
    key: `tool:${update.toolCallId}`,
    call: { ...before?.call, ...update },
    meta: merged,
    output: (sent ?? before?.output ?? '') + (outputDelta ?? ''),
  };
}
