import type { InjectHow } from '../../src/shared/wire';
import { t, words } from '../strings';
import { Picker } from './picker';

/** The ways to send a prompt while a turn runs. */
export function How({ onChoose }: { onChoose: (how: InjectHow) => void }) {
  const options = [
    { id: 'queue', label: t('Queue'), facts: 'Enter', detail: t(words.queueDetail) },
    { id: 'steer', label: t(words.steer), facts: 'Alt+Enter', detail: t(words.steerDetail) },
    { id: 'interrupt', label: t('Interrupt'), detail: t(words.interruptDetail) },
  ];
  return <Picker id="how" label={t(words.moreWays)} options={options} selected="queue" filter={false} onChoose={(id) => onChoose(id as InjectHow)} />;
}
