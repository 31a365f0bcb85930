import { memo } from 'preact/compat';
import { Icon } from '../icon';
import { Markdown } from '../markdown/markdown';
import { useStore } from '../state';
import type { ThoughtItem } from '../state/conversation';
import { t } from '../strings';
import { Fold } from './fold';

/** The model's reasoning, folded; its subject is what it thinks about now. */
export const Thought = memo(function Thought({ item: { subject, text }, live }: { item: ThoughtItem; live: boolean }) {
  const open = useStore((state) => state.settings.expandThoughts);
  return (
    <Fold
      class="thought"
      open={open}
      head={
        <>
          <Icon name={live ? 'loading' : 'lightbulb'} spin={live} />
          <span class="thought-subject">{subject || (live ? t('Thinking') : t('Thought'))}</span>
        </>
      }
    >
      {() => <Markdown text={text} live={live} />}
    </Fold>
  );
});
