import { useEffect, useState } from 'preact/hooks';
import { server } from '../bridge';
import { currentMode, setMode, useStore } from '../state';
import { t, words } from '../strings';
import { Picker, type Option } from './picker';

/** The name of the mode that the next call is decided in. The server tells the names when it starts. */
export function useModeName(): string {
  const mode = useStore(currentMode);
  const modes = useStore((state) => state.modes);
  return modes.find(({ id }) => id === mode)?.name ?? (mode === 'default' ? t('Ask') : mode);
}

/** Chooses the mode, and says what each means. */
export function ModePicker({ onDone, onError }: { onDone: () => void; onError: (error: Error) => void }) {
  const mode = useStore(currentMode);
  const modes = useStore((state) => state.modes);
  const trusted = useStore((state) => state.trusted);
  const [failed, setFailed] = useState('');
  useEffect(() => {
    if (modes.length === 0) {
      start().catch((error: Error) => setFailed(error.message));
    }
  }, []);
  if (modes.length === 0) {
    return <p class="picker-none">{failed === '' ? t(words.startingServer) : failed}</p>;
  }
  const options = modes.map(({ id, name, description }): Option => ({
    id,
    label: name,
    ...(description !== undefined && { detail: description }),
    warning: id === 'yolo',
    ...(!trusted && (id === 'yolo' || id === 'auto_edit') && { disabled: t('Only in a trusted folder.') }),
  }));
  return (
    <Picker
      id="modes"
      label={t('Mode')}
      options={options}
      selected={mode}
      filter={false}
      onChoose={(id) => {
        onDone();
        setMode(id).catch(onError);
      }}
    />
  );
}

/** Starts the server if it does not run: it tells its modes and commands then. */
export async function start(): Promise<void> {
  await server('emendo/session/list', { limit: 1 });
}
