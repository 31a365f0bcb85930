import { memo } from 'preact/compat';
import type { Item } from '../../src/shared/view';
import { text } from '../format/text';
import { Icon } from '../icon';
import { useStore } from '../state';
import { t, words } from '../strings';
import { Actions } from './actions';
import { aboutEdits, Edits } from './changes';
import { Fold } from './fold';
import { doLine, Fact } from './lines';
import { PartView } from './part';
import { stateOf } from './states';
import { useBelow, useItem } from './items';

const icons: Record<string, string> = {
  read: 'file',
  edit: 'edit',
  delete: 'trash',
  move: 'arrow-swap',
  search: 'search',
  execute: 'terminal',
  think: 'lightbulb',
  fetch: 'globe',
  switch_mode: 'arrow-right',
};

/** Calls whose titles end with the name of a file, which is what has to be seen. */
const ofFile = new Set(['read', 'edit', 'delete', 'move']);

/** Actions that can be done while the call is folded: to stop it, and to watch its command. */
const isBeside = (id: string) => id === 'stop' || id.startsWith('terminal:');

/** A call of a tool, with what came of it and the calls that an agent made below it. */
export const Call = memo(function Call({ item }: { item: Item }) {
  const { id, look = '', state = 'done', parts = [], note, lines = [] } = item;
  const actions = (item.actions ?? []).map((action) => (typeof action === 'string' ? action : action.id));
  const below = useBelow(id);
  const works = useStore(({ view }) => below.some((child) => ['running', 'waiting', 'asks'].includes(view.items.get(child)?.state ?? '')));
  const running = state === 'running';
  const { icon, label } = stateOf(state);
  const title = text(item.title);
  const time = lines.find((line) => line.id === 'time');
  const diffs = parts.some(({ kind }) => kind === 'diff');
  return (
    <div class="tool" data-status={state} data-item={id}>
      <Fold
        open={(running && parts.some(({ kind, text = '' }) => kind === 'output' && text !== '')) || ((state === 'failed' || state === 'denied') && !diffs) || works}
        head={
          <>
            <Icon name={icons[look] ?? 'tools'} />
            <span class={`tool-title${look === 'execute' ? ' command' : ofFile.has(look) ? ' path' : ''}`} title={title}>
              <bdi>{title}</bdi>
            </span>
            <span class="tool-end">
              {note && <span class={`tool-note ${state === 'failed' ? 'exit' : 'dim'}`} title={text(note)}>{text(note)}</span>}
              {time && note?.code !== 'call.time' && <span class="dim">{text(time.text)}</span>}
              <span class={`tool-status status-${state}`} title={label}>
                <Icon name={icon} spin={running} />
                <span class="hidden-text">{label}</span>
              </span>
            </span>
          </>
        }
      >
        {() => <Details item={item} below={below} />}
      </Fold>
      {actions.some(isBeside) && (
        <span class="tool-stop">
          <Actions of={item} only={isBeside} about={title} />
        </span>
      )}
      {diffs && <Edits item={item} />}
    </div>
  );
});

function Details({ item: { id, state, note, parts = [], lines = [] }, below }: { item: Item; below: readonly string[] }) {
  const places = lines.filter((line) => line.id === 'place');
  const shown = parts.filter(({ kind }) => kind !== 'diff');
  return (
    <>
      {parts.map((part, index) => part.kind === 'code' && <PartView key={index} of={id} index={index} part={part} />)}
      {lines.map((line, index) => line.id !== 'place' && line.id !== 'time' && !aboutEdits.has(line.id) && <Fact key={index} line={line} />)}
      {places.length > 0 && (
        <p class="locations">
          {places.map((line, index) => (
            <button key={index} type="button" class="text-button" onClick={doLine(id, line)}>
              <bdi>{text(line.text)}</bdi>
            </button>
          ))}
        </p>
      )}
      {parts.map((part, index) => part.kind !== 'code' && part.kind !== 'diff' && <PartView key={index} of={id} index={index} part={part} live={state === 'running'} />)}
      {below.map((child) => (
        <Child key={child} id={child} />
      ))}
      {shown.length === 0 && below.length === 0 && <p class="dim">{state === 'running' ? t(words.noOutputYet) : note ? text(note) : t(words.noOutput)}</p>}
    </>
  );
}

function Child({ id }: { id: string }) {
  const item = useItem(id);
  return item ? <Call item={item} /> : null;
}
