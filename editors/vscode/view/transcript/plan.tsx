import type { PlanEntry } from '../../src/shared/wire';
import { Icon } from '../icon';
import { runningTurn, useStore } from '../state';
import { t } from '../strings';
import { Fold } from './fold';

const looks = { pending: 'circle-outline', in_progress: 'arrow-circle-right', completed: 'pass', cancelled: 'circle-slash' };

/** The model's to-do list. */
export function Plan({ entries }: { entries: readonly PlanEntry[] }) {
  const texts = { pending: t('to do'), in_progress: t('in progress'), completed: t('done'), cancelled: t('cancelled') };
  return (
    <ul class="plan" aria-label={t('To-do list')}>
      {entries.map(({ content, status, priority }, index) => (
        <li key={index} class={`plan-${status}`}>
          <Icon name={looks[status]} />
          <span>
            {content}
            <span class="hidden-text"> ({texts[status]})</span>
          </span>
          {priority === 'high' && status !== 'completed' && <Icon name="arrow-small-up" />}
        </li>
      ))}
    </ul>
  );
}

/** The to-do list above the prompt while a turn works on it: how far it is, and the list on demand. */
export function PlanBar() {
  const plan = useStore((state) => state.conversation.plan);
  const running = useStore((state) => runningTurn(state.conversation)?.items.some(({ kind }) => kind === 'plan') === true);
  if (!running || plan.length === 0) {
    return null;
  }
  const done = plan.filter(({ status }) => status === 'completed' || status === 'cancelled').length;
  const current = plan.find(({ status }) => status === 'in_progress') ?? plan.find(({ status }) => status === 'pending');
  return (
    <div class="plan-bar">
      <Fold
        open={false}
        head={
          <>
            <span class="dim">{t('{0} of {1}', done, plan.length)}</span>
            <span class="plan-current">{current?.content ?? t('All done')}</span>
          </>
        }
      >
        {() => <Plan entries={plan} />}
      </Fold>
    </div>
  );
}
