import { memo } from 'preact/compat';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { host } from '../bridge';
import { Icon } from '../icon';
import { Markdown } from '../markdown/markdown';
import { isPicture } from '../markdown/links';
import type { Item, MessageItem, ToolItem, Turn } from '../state/conversation';
import { t } from '../strings';
import { EditPrompt } from './edit_prompt';
import { Compaction, Notice } from './notice';
import { Plan } from './plan';
import { PromptBlocks } from './prompt_item';
import { Rewind } from './rewind';
import { asks } from './status';
import { Summary } from './summary';
import { failureOf, firstPrompt, promptText, turnMarkdown } from './text';
import { Thought } from './thought';
import { ToolView } from './tool';
import { watchNear } from './near';

interface Props {
  turn: Turn;
  /** Counts from one. */
  number: number;
  last: boolean;
  /** Whether it is drawn even if it is out of sight. */
  force: boolean;
}

/** A prompt and everything that came of it. It is drawn when it comes near what is seen. */
export const TurnView = memo(function TurnView({ turn, number, last, force }: Props) {
  const article = useRef<HTMLElement>(null);
  const [near, setNear] = useState(false);
  const wasDrawn = useRef(false); // what was drawn stays, with what is folded and typed in it
  wasDrawn.current ||= near || force || last;
  const drawn = wasDrawn.current;
  useEffect(() => (drawn ? undefined : watchNear(article.current!, () => setNear(true))), [drawn]);
  const [panel, setPanel] = useState<'edit' | 'rewind'>();
  const prompt = firstPrompt(turn);
  const close = (): void => {
    setPanel(undefined);
    article.current?.focus();
  };
  return (
    <article
      ref={article}
      class="turn"
      data-turn={turn.id}
      data-state={turn.state}
      tabIndex={-1}
      aria-label={t('Turn {0}', number)}
      style={drawn ? undefined : { height: `${estimate(turn)}px` }}
    >
      {drawn && (
        <>
          <h2 class="hidden-text">{t('Turn {0}', number)}</h2>
          {panel === 'edit' && prompt && <EditPrompt turn={turn} blocks={prompt.blocks} onClose={close} />}
          <Items turn={turn} editing={panel === 'edit'} />
          {panel === 'rewind' && <Rewind turn={turn} onClose={close} />}
          <div class="turn-foot">
            <Summary turn={turn} last={last} />
            {turn.state !== 'running' && turn.id !== '' && panel === undefined && (
              <div class="turn-actions" role="group" aria-label={t('Turn {0}', number)}>
                <Action icon="copy" label={t('Copy the turn as Markdown')} act={() => void host('copy', { text: turnMarkdown(turn) }).catch(() => {})} />
                {prompt && <Action icon="edit" label={t('Edit and send again')} act={() => setPanel('edit')} />}
                {prompt && <Action icon="discard" label={t('Go back to before this turn')} act={() => setPanel('rewind')} />}
              </div>
            )}
          </div>
        </>
      )}
    </article>
  );
});

function Action({ icon, label, act }: { icon: string; label: string; act: () => void }) {
  return (
    <button type="button" class="icon-button" title={label} aria-label={label} onClick={act}>
      <Icon name={icon} />
    </button>
  );
}

/** The items, with the calls of a subagent below the call that began it. */
function Items({ turn, editing }: { turn: Turn; editing: boolean }) {
  const { items, state } = turn;
  const nested = useMemo(() => children(items), [items]);
  const over = state !== 'running';
  const failure = failureOf(turn);
  return (
    <>
      {items.map((item, index) => {
        switch (item.kind) {
          case 'prompt':
            return editing && item === firstPrompt(turn) ? null : (
              <div key={item.key} class="user-prompt" data-steer={item !== firstPrompt(turn)} aria-label={t('You: {0}', promptText(item.blocks).slice(0, 80))} role="group">
                <PromptBlocks blocks={item.blocks} />
              </div>
            );
          case 'message':
            return <Message key={item.key} item={item} live={!over && isLast(items, index)} />;
          case 'thought':
            return <Thought key={item.key} item={item} live={!over && isLast(items, index)} />;
          case 'tool':
            return nested.hidden.has(item) ? null : <ToolView key={item.key} item={item} over={over} nested={nested.of.get(item.call.toolCallId) ?? none} />;
          case 'plan':
            return <Plan key={item.key} entries={item.entries} />;
          case 'notice':
            return item === failure ? null : <Notice key={item.key} item={item} />;
          case 'compaction':
            return <Compaction key={item.key} item={item} />;
        }
      })}
      {!over && <Progress items={items} />}
    </>
  );
}

const none: readonly ToolItem[] = [];

/** Whether nothing comes after an item but what does not end a text. */
function isLast(items: readonly Item[], index: number): boolean {
  return items.slice(index + 1).every(({ kind }) => kind === 'notice' || kind === 'plan');
}

function children(items: readonly Item[]): { of: Map<string, ToolItem[]>; hidden: Set<Item> } {
  const calls = new Set(items.flatMap((item) => (item.kind === 'tool' ? [item.call.toolCallId] : [])));
  const of = new Map<string, ToolItem[]>();
  const hidden = new Set<Item>();
  for (const item of items) {
    const parent = item.kind === 'tool' ? item.meta.parentToolCallId : undefined;
    if (item.kind === 'tool' && parent !== undefined && calls.has(parent) && parent !== item.call.toolCallId) {
      of.set(parent, [...(of.get(parent) ?? []), item]);
      hidden.add(item);
    }
  }
  return { of, hidden };
}

const Message = memo(function Message({ item, live }: { item: MessageItem; live: boolean }) {
  return (
    <div class="message">
      <Markdown text={item.text} live={live} />
      {item.blocks.map((block, index) => {
        const source = block.type === 'image' ? `data:${block.mimeType};base64,${block.data}` : '';
        return isPicture(source) ? <img key={index} class="answer-picture" src={source} alt={t('Picture of the model')} /> : null;
      })}
      {!live && item.text !== '' && (
        <div class="message-actions">
          <Action icon="copy" label={t('Copy this answer as Markdown')} act={() => void host('copy', { text: item.text }).catch(() => {})} />
        </div>
      )}
    </div>
  );
});

/** That the model works, while nothing else moves. */
function Progress({ items }: { items: readonly Item[] }) {
  const last = items.at(-1);
  const moves = last?.kind === 'thought' || (last?.kind === 'tool' && (last.call.status === 'in_progress' || asks(last.meta)));
  if (moves || (last?.kind === 'message' && last.text !== '')) {
    return null;
  }
  return (
    <div class="progress">
      <Icon name="loading" spin /> {t('Working…')}
    </div>
  );
}

/** About how high a turn will be, in pixels, so that the scroll bar is about right. */
function estimate({ items }: Turn): number {
  let height = 60;
  for (const item of items) {
    height += item.kind === 'message' ? 30 + item.text.length * 0.45 : item.kind === 'prompt' ? 50 : 30;
  }
  return Math.round(Math.min(height, 20_000));
}
