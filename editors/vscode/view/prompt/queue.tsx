import type { Action, Item } from '../../src/shared/view';
import { text } from '../format/text';
import { Icon } from '../icon';
import { act, fail, same, useStore } from '../state';
import { t, words } from '../strings';
import { Actions } from '../transcript/actions';

interface Props {
  /** The item that is in the prompt box. */
  editing: string | undefined;
  onEdit: (item: Item) => void;
  /** Is told of a prompt that was removed, so that its text is not lost. */
  onRemoved: (text: string) => void;
}

/** The prompts that wait for the model, in the order in which it gets them. */
export function Queue({ editing, onEdit, onRemoved }: Props) {
  const items = useStore(
    ({ view: { items, below } }) => (below.get('') ?? []).flatMap((id) => (items.get(id)?.kind === 'queued' ? items.get(id)! : [])),
    same,
  );
  const paused = useStore(({ view }) => view.status?.lines?.find(({ id, look }) => id === 'queue' && look === 'warning'));
  const resume = useStore(({ view }) => view.verbs.get('resume'));
  if (items.length === 0) {
    return null;
  }
  const run = (item: Item, { id }: Action): void => {
    if (id === 'edit') {
      onEdit(item);
      return;
    }
    void act(item.id, id).then(
      () => id === 'remove' && onRemoved(writtenOf(item)),
      fail,
    );
  };
  return (
    <section class="queue" aria-label={t(words.queuedPrompts)}>
      {paused && resume && (
        <p class="queue-paused">
          <Icon name="debug-pause" />
          <span>{text(paused.text)}</span>
          <button onClick={() => void act('status', resume.id).catch(fail)}>{text(resume.title)}</button>
        </p>
      )}
      <ol>
        {items.map((item) => {
          const shown = text(item.title);
          return (
            <li key={item.id} class={item.id === editing ? 'editing' : ''}>
              <Icon name={item.look === 'steer' ? 'compass' : 'history'} />
              <span class="queue-how">{item.note && text(item.note)}</span>
              <span class="queue-text" title={shown}>
                {shown}
              </span>
              <Actions of={item} only={(id) => id !== 'resume'} run={(action) => run(item, action)} about={shown} />
            </li>
          );
        })}
      </ol>
    </section>
  );
}

/** What the user wrote in a prompt that waits. */
export function writtenOf({ parts = [] }: Item): string {
  return parts.flatMap(({ kind, text = '' }) => (kind === 'text' ? [text] : [])).join('\n');
}
