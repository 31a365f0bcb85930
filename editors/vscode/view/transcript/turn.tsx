import { memo } from 'preact/compat';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Item, Line } from '../../src/shared/view';
import { shortText, text } from '../format/text';
import { Icon } from '../icon';
import { getState, useStore } from '../state';
import { t, words } from '../strings';
import { Actions, doOf, Remedies } from './actions';
import { Call } from './call';
import { EditPrompt } from './edit_prompt';
import { none, useBelow, useItem } from './items';
import { doLine } from './lines';
import { watchNear } from './near';
import { Notice, NoticeText } from './notice';
import { PartView } from './part';
import { Plan } from './plan';
import { UserPrompt } from './prompt_item';
import { Thought } from './thought';

interface Props {
  id: string;
  /** Counts from one. */
  number: number;
  last: boolean;
}

/** A prompt and everything that came of it. It is drawn when it comes near what is seen, or may be found. */
export const TurnView = memo(function TurnView({ id, number, last }: Props) {
  const article = useRef<HTMLElement>(null);
  const [near, setNear] = useState(false);
  const finding = useStore(({ finding, found }) => finding && (found === 'all' || found.has(id)));
  const wasDrawn = useRef(false); // what was drawn stays, with what is folded and typed in it
  wasDrawn.current ||= near || finding || last;
  const drawn = wasDrawn.current; // else nothing of it is looked at when the state changes
  const turn = useStore(({ view }) => (drawn ? view.items.get(id) : undefined));
  const below = useStore(({ view }) => (drawn ? view.below.get(id) : undefined)) ?? none;
  useEffect(() => (drawn ? undefined : watchNear(article.current!, () => setNear(true))), [drawn]);
  const [editing, setEditing] = useState(false);
  const name = t(words.turn, number);
  return (
    <article ref={article} class="turn" data-turn={id} tabIndex={-1} aria-label={name} style={drawn ? undefined : { height: `${estimate(id)}px` }}>
      {turn && (
        <>
          <h2 class="hidden-text">{name}</h2>
          <Below turn={turn} below={below} editing={editing} onEdited={() => {
            setEditing(false);
            article.current?.focus();
          }} />
          {turn.state !== 'running' && (
            <div class="turn-foot">
              <Summary turn={turn} />
              {!editing && (
                <div class="turn-actions" role="group" aria-label={name}>
                  {/* An edit opens the prompt first, which has the other way to send it. */}
                  <Actions of={turn} only={(action) => action !== 'edit_copy' && !helping.includes(action)} run={(action) => (action.id === 'edit' ? setEditing(true) : doOf(id)(action))} />
                </div>
              )}
            </div>
          )}
        </>
      )}
    </article>
  );
});

/** The actions that help a turn which failed, in its summary. */
const helping = ['again', 'fresh'];

interface BelowProps {
  turn: Item;
  below: readonly string[];
  editing: boolean;
  onEdited: () => void;
}

function Below({ turn, below, editing, onEdited }: BelowProps) {
  const prompt = useStore(({ view }) => below.find((id) => view.items.get(id)?.kind === 'user'));
  const failure = useFailure(turn);
  return (
    <>
      {editing && <EditPrompt turn={turn} onClose={onEdited} />}
      {below.map((id) => (editing && id === prompt) || id === failure?.id ? null : <ItemView key={id} id={id} />)}
      {turn.state === 'running' && <Progress turn={turn} below={below} />}
    </>
  );
}

/** One of the items of a turn, or of what came outside of turns. */
export function ItemView({ id }: { id: string }) {
  const item = useItem(id);
  switch (item?.kind) {
    case 'user':
      return <UserPrompt item={item} />;
    case 'answer':
      return <Answer item={item} />;
    case 'thought':
      return <Thought item={item} />;
    case 'call':
      return <Call item={item} />;
    case 'plan':
      return <Plan item={item} />;
    case undefined:
    case 'turn':
    case 'queued': // above the prompt
      return null;
    default: // also what only a newer server knows
      return <Notice item={item!} />;
  }
}

const Answer = memo(function Answer({ item }: { item: Item }) {
  const { id, state, parts = [] } = item;
  const live = state === 'running';
  return (
    <div class="message" data-item={id}>
      {parts.map((part, index) => (
        <PartView key={index} of={id} index={index} part={part} live={live} applies />
      ))}
      {!live && (
        <div class="message-actions">
          <Actions of={item} />
        </div>
      )}
    </div>
  );
});

/** What the turn does, while nothing else moves. */
function Progress({ turn, below }: { turn: Item; below: readonly string[] }) {
  const last = useItem(below.at(-1) ?? '');
  const moves = last && (last.state === 'running' || last.state === 'asks') && (last.kind !== 'answer' || last.parts?.some(({ text }) => text));
  if (moves) {
    return null;
  }
  return (
    <div class="progress">
      <Icon name="loading" spin /> {text(turn.title)}
    </div>
  );
}

/** The notice that says why a turn failed. It is shown with what can be done about it, at the end of the turn, and there alone. */
function useFailure({ id, state }: Item): Item | undefined {
  const below = useBelow(id);
  return useStore(({ view }) => {
    const last = state === 'failed' ? below.findLast((child) => view.items.get(child)?.look === 'error') : undefined;
    return last === undefined ? undefined : view.items.get(last);
  });
}

/** What a turn came to: files, time, tokens and cost, or why it failed. */
function Summary({ turn }: { turn: Item }) {
  const { id, state, title, lines = [] } = turn;
  const files = lines.filter((line) => line.look === 'file');
  const facts = lines.filter((line) => line.label === undefined && line.look !== 'file');
  const others = lines.filter((line) => line.label !== undefined);
  const failure = useFailure(turn);
  const failed = state === 'failed' || state === 'interrupted';
  return (
    <footer class="summary">
      {files.length > 0 && (
        <ul class="summary-files" aria-label={t(words.filesChanged)}>
          {files.map((line, index) => (
            <li key={index}>
              <FileLine of={id} line={line} />
            </li>
          ))}
        </ul>
      )}
      {failed && (
        <div class="notice notice-error turn-error" role="note" aria-label={t('Error')}>
          <Icon name="error" />
          <div>
            {failure ? <NoticeText item={failure} /> : text(title)}
            <Remedies of={turn} only={(id) => helping.includes(id)} />
            {failure && <Remedies of={failure} />}
          </div>
        </div>
      )}
      {!failed && title.code !== 'turn.done' && <p class="dim">{text(title)}</p>}
      {others.length > 0 && <Unasked lines={others} />}
      {facts.length > 0 && <p class="facts">{facts.map((line) => text(line.text)).join(' · ')}</p>}
    </footer>
  );
}

function FileLine({ of, line }: { of: string; line: Line }) {
  const { args = {}, short } = line.text;
  return (
    <>
      <button type="button" class="text-button" onClick={doLine(of, line)}>
        <bdi>{args['path'] ?? text(line.text)}</bdi>
      </button>
      {short !== undefined && <span class="counts">{shortText(line.text)}</span>}
    </>
  );
}

/** What the user can look at, below what it is. */
function Unasked({ lines }: { lines: readonly Line[] }) {
  const labels = [...new Set(lines.map(({ label }) => text(label!)))];
  return labels.map((label) => (
    <p key={label} class="dim">
      {label}: {lines.filter((line) => text(line.label!) === label).map((line, index) => [index > 0 && ', ', <code>{text(line.text)}</code>])}
    </p>
  ));
}

/** About how high a turn will be, in pixels, so that the scroll bar is about right. */
function estimate(id: string): number {
  const { items, below } = getState().view;
  let height = 60;
  for (const child of below.get(id) ?? []) {
    const item = items.get(child);
    const length = item?.kind === 'answer' ? (item.parts ?? []).reduce((sum, { text = '' }) => sum + text.length, 0) : 0;
    height += item?.kind === 'user' ? 50 : 30 + length * 0.45;
  }
  return Math.round(Math.min(height, 20_000));
}
