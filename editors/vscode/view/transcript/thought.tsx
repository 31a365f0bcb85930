import { memo } from 'preact/compat';
import type { Item } from '../../src/shared/view';
import { text } from '../format/text';
import { Icon } from '../icon';
import { useStore } from '../state';
import { Fold } from './fold';
import { PartView } from './part';

/** The model's reasoning, folded; its title is what it thinks about now. */
export const Thought = memo(function Thought({ item: { id, state, title, parts = [] } }: { item: Item }) {
  const open = useStore((state) => state.settings.expandThoughts);
  const live = state === 'running';
  return (
    <Fold
      class="thought"
      open={open}
      head={
        <>
          <Icon name={live ? 'loading' : 'lightbulb'} spin={live} />
          <span class="thought-subject">{text(title)}</span>
        </>
      }
    >
      {() => parts.map((part, index) => <PartView key={index} of={id} index={index} part={part} live={live} />)}
    </Fold>
  );
});
