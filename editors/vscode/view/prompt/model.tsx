import { useEffect, useState } from 'preact/hooks';
import { listen, server, type RequestError } from '../bridge';
import type { ModelInfo } from '../../src/shared/wire';
import { currentModel, setModel, useStore } from '../state';
import { t, words } from '../strings';
import { Helps } from './helps';
import { Picker, type Option } from './picker';
import { tokens } from '../format/numbers';

let known: ModelInfo[] | undefined;

/** The name of the model that was chosen. */
export function useModelName(): string {
  const model = useStore(currentModel);
  return known?.find(({ id }) => id === model)?.label.text ?? (model === 'auto' ? t('Auto') : model);
}

/** Chooses the model from those that the provider has. */
export function ModelPicker({ onDone, onError }: { onDone: () => void; onError: (error: Error) => void }) {
  const model = useStore(currentModel);
  const [models, setModels] = useState(known);
  const [failed, setFailed] = useState<RequestError>();
  const load = (refresh: boolean): void => {
    server<{ models: ModelInfo[] }>('emendo/models/list', refresh ? { refresh } : {}).then(
      (result) => {
        known = result.models;
        setModels(known);
        setFailed(undefined);
      },
      (error: RequestError) => setFailed(error),
    );
  };
  useEffect(() => {
    load(false);
    return listen((message) => {
      if (message.type === 'notification' && message.method === 'emendo/models/didChange') {
        load(false);
      }
    });
  }, []);
  if (failed) {
    return (
      <div class="picker-none" role="alert">
        <p>{failed.message}</p>
        <Helps actions={failed.data?.actions?.filter(({ id }) => id !== 'model')} />
        <button onClick={() => load(true)}>{t(words.tryAgain)}</button>
      </div>
    );
  }
  if (!models) {
    return <p class="picker-none">{t(words.askingModels)}</p>;
  }
  return (
    <>
      <Picker
        id="models"
        label={t('Model')}
        options={models.map(option)}
        selected={model}
        filter
        onChoose={(id) => {
          onDone();
          setModel(id).catch(onError);
        }}
      />
      <div class="panel-foot">
        <button class="link" onClick={() => load(true)}>
          {t(words.askAgain)}
        </button>
      </div>
    </>
  );
}

function option({ id, label, note, contextLimit, available }: ModelInfo): Option {
  return {
    id,
    label: label.text,
    ...(available ? note && { detail: note.text } : { disabled: note?.text ?? '' }),
    ...(contextLimit !== undefined && { facts: tokens(contextLimit) }),
  };
}
