import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { FileChange, RewindResult } from '../../src/shared/wire';
import { ask, isRunning, previewRewind, rewind, useStore, type RewindScope } from '../state';
import type { Turn } from '../state/conversation';
import { t } from '../strings';
import { counts, readUnified } from './diff';
import { Counts, DiffView } from './diff_view';
import { Fold } from './fold';
import { shortPath } from '../format/paths';
import { firstPrompt, promptText } from './text';

/** Goes back to before a turn: first it shows what that changes, then it asks once more. */
export function Rewind({ turn, onClose }: { turn: Turn; onClose: () => void }) {
  const [scope, setScope] = useState<RewindScope>('both');
  const [preview, setPreview] = useState<RewindResult>();
  const [done, setDone] = useState<RewindResult>();
  const [error, setError] = useState('');
  const [busy, setBusy] = useState(false);
  const running = useStore(isRunning);
  const first = useRef<HTMLInputElement>(null);
  useEffect(() => first.current?.focus(), []);
  useEffect(() => {
    let wanted = true;
    setPreview(undefined);
    setError('');
    previewRewind(turn.id, scope).then(
      (result) => wanted && setPreview(result),
      (error: Error) => wanted && setError(error.message),
    );
    return () => {
      wanted = false;
    };
  }, [turn.id, scope, running]);
  const go = async (): Promise<void> => {
    setBusy(true);
    try {
      const prompt = firstPrompt(turn);
      const result = await rewind(turn.id, scope);
      if (scope !== 'files' && prompt) {
        ask({ type: 'compose', text: promptText(prompt.blocks.filter(({ type }) => type === 'text')), focus: true });
      } else {
        setDone(result);
      }
    } catch (error) {
      setError((error as Error).message);
    }
    setBusy(false);
  };
  const scopes: [RewindScope, string][] = [
    ['both', t('Conversation and files')],
    ['conversation', t('Conversation alone')],
    ['files', t('Files alone')],
  ];
  return (
    <div
      class="turn-panel rewind"
      onKeyDown={(event) => {
        if (event.key === 'Escape') {
          event.stopPropagation();
          onClose();
        }
      }}
    >
      <fieldset disabled={busy || done !== undefined}>
        <legend>{t('Go back to before this turn')}</legend>
        {scopes.map(([value, label], index) => (
          <label key={value}>
            <input ref={index === 0 ? first : null} type="radio" name={`rewind-${turn.id}`} checked={scope === value} onChange={() => setScope(value)} />
            {label}
          </label>
        ))}
      </fieldset>
      <div aria-live="polite">
        {error !== '' && <p class="problem">{error}</p>}
        {!error && !preview && !done && <p class="dim">{t('Looking what would change…')}</p>}
        {(done ?? preview) && <Result result={(done ?? preview)!} scope={scope} done={done !== undefined} />}
      </div>
      <div class="turn-panel-buttons">
        {!done && (
          <button type="button" class="primary-button" disabled={busy || running || !preview} onClick={() => void go()}>
            {t('Go back')}
          </button>
        )}
        <button type="button" class="small-button" onClick={onClose}>
          {done ? t('Close') : t('Cancel')}
        </button>
      </div>
    </div>
  );
}

function Result({ result: { restored, deleted, kept, conflicts, files }, scope, done }: { result: RewindResult; scope: RewindScope; done: boolean }) {
  const nothing = restored.length + deleted.length + kept.length + conflicts.length === 0;
  return (
    <>
      {scope !== 'files' && !done && <p>{t('This turn and all after it disappear from the conversation. The prompt goes back into the prompt box.')}</p>}
      {scope !== 'conversation' && nothing && <p>{t('No file changes.')}</p>}
      <Paths label={done ? t('Restored') : t('To be restored')} paths={restored.map((path) => ({ path }))} />
      <Paths label={done ? t('Deleted') : t('To be deleted')} paths={deleted.map((path) => ({ path }))} />
      <Paths label={t('In conflict, and left as they are')} paths={conflicts} />
      <Paths label={t('Kept')} paths={kept} />
      {(files ?? []).map((file) => (
        <Change key={file.uri} file={file} />
      ))}
    </>
  );
}

function Paths({ label, paths }: { label: string; paths: readonly { path: string; reason?: string }[] }) {
  const folders = useStore((state) => state.folders);
  if (paths.length === 0) {
    return null;
  }
  return (
    <div class="rewind-paths">
      <strong>{label}</strong>
      <ul>
        {paths.map(({ path, reason }) => (
          <li key={path}>
            <bdi>{shortPath(path, folders)}</bdi>
            {reason !== undefined && <span class="dim"> {reason}</span>}
          </li>
        ))}
      </ul>
    </div>
  );
}

function Change({ file }: { file: FileChange }) {
  const folders = useStore((state) => state.folders);
  const lines = useMemo(() => readUnified(file.diff), [file.diff]);
  const path = shortPath(file.uri, folders);
  return (
    <Fold
      open={false}
      head={
        <>
          <bdi>{path}</bdi>
          <Counts {...counts(lines)} />
        </>
      }
    >
      {() => <DiffView lines={lines} label={t('Changes of {0}', path)} />}
    </Fold>
  );
}
