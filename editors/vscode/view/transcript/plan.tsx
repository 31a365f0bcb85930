import type { Item } from '../../src/shared/view';
import { text } from '../format/text';
import { Icon } from '../icon';
import { runningTurn, useStore } from '../state';
import { t } from '../strings';
import { Fold } from './fold';
import { stateOf } from './states';

const icons: Record<string, string> = { running: 'arrow-circle-right', done: 'pass' };

/** The model's to-do list. */
export function Plan({ item: { lines = [] } }: { item: Item }) {
  return (
    <ul class="plan" aria-label={t('To-do list')}>
      {lines.map(({ text: entry, state = 'waiting', look }, index) => (
        <li key={index} class={`plan-${state}`}>
          <Icon name={icons[state] ?? stateOf(state).icon} />
          <span>
            {text(entry)}
            <span class="hidden-text"> ({stateOf(state).label})</span>
          </span>
          {look === 'high' && state !== 'done' && <Icon name="arrow-small-up" />}
        </li>
      ))}
    </ul>
  );
}

/** The to-do list above the prompt while a turn works on it: how far it is, and the list on demand. */
export function PlanBar() {
  const plan = useStore((state) => {
    const { items, below } = state.view;
    const id = below.get(runningTurn(state)?.id ?? '')?.findLast((id) => items.get(id)?.kind === 'plan');
    return id === undefined ? undefined : items.get(id);
  });
  if (!plan?.lines?.length) {
    return null;
  }
  return (
    <div class="plan-bar">
      <Fold open={false} head={<span class="plan-current">{text(plan.title)}</span>}>
        {() => <Plan item={plan} />}
      </Fold>
    </div>
  );
}
