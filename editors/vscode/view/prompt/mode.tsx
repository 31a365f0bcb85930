import { text } from '../format/text';
import { currentMode, setMode, useStore } from '../state';
import { t, words } from '../strings';
import { Picker, type Option } from './picker';

/** The name of the mode that the next call is decided in. The server tells the names when it starts. */
export function useModeName(): string {
  const mode = useStore(currentMode);
  const modes = useStore((state) => state.modes);
  return modes.find(({ id }) => id === mode)?.name ?? mode;
}

/** Chooses the mode, and says what each means. */
export function ModePicker({ onDone, onError }: { onDone: () => void; onError: (error: Error) => void }) {
  const mode = useStore(currentMode);
  const modes = useStore((state) => state.modes);
  const restricted = useStore(({ window }) => window.items.get('obstacle/restricted')?.title);
  if (modes.length === 0) {
    return <p class="picker-none">{t(words.startingServer)}</p>;
  }
  const options = modes.map(({ id, name, description }): Option => ({
    id,
    label: name,
    ...(description !== undefined && { detail: description }),
    warning: id === 'yolo',
    ...(restricted && (id === 'yolo' || id === 'auto_edit') && { disabled: text(restricted) }),
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
