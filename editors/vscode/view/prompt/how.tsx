import type { InjectHow } from '../../src/shared/wire';
import { t } from '../strings';
import { Picker } from './picker';

/** The ways to send a prompt while a turn runs. */
export function How({ onChoose }: { onChoose: (how: InjectHow) => void }) {
  const options = [
    { id: 'queue', label: t('Queue'), facts: 'Enter', detail: t('Becomes a turn of its own after this one.') },
    { id: 'steer', label: t('Steer now'), facts: 'Alt+Enter', detail: t('The running turn reads it before its next step.') },
    { id: 'interrupt', label: t('Interrupt'), detail: t('Ends the running turn, and sends this instead.') },
  ];
  return <Picker id="how" label={t('More ways to send')} options={options} selected="queue" filter={false} onChoose={(id) => onChoose(id as InjectHow)} />;
}
