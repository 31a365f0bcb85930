import { useEffect, useRef } from 'preact/hooks';
import type { Refused } from '../../src/shared/messages';
import { Icon } from '../icon';
import { Helps } from './helps';
import { useStore } from '../state';
import { t } from '../strings';
import type { Failure } from './sending';

/** Why a prompt, or something else that the user wanted, did not work. */
export function Failed({ failure, onClose }: { failure: Failure | undefined; onClose: () => void }) {
  const status = useStore((state) => state.status?.kind);
  const unsigned = failure?.code === 'auth_required';
  const before = useRef(status);
  useEffect(() => {
    if (unsigned && before.current === 'signed_out' && status !== undefined && status !== 'signed_out') {
      onClose(); // the user has signed in
    }
    before.current = status;
  }, [status]);
  return (
    <div role="alert">
      {failure && (
        <p class="prompt-failed">
          <Icon name="error" />
          <span>{failure.message}</span>
          <Helps actions={failure.actions} />
          <button class="icon" aria-label={t('Close')} title={t('Close')} onClick={onClose}>
            <Icon name="close" />
          </button>
        </p>
      )}
    </div>
  );
}

/** Files that were not added, each with its reason. */
export function Refusals({ refused, onClose }: { refused: readonly Refused[]; onClose: () => void }) {
  return (
    <div role="alert">
      {refused.length > 0 && (
        <div class="prompt-failed">
          <Icon name="warning" />
          <ul>
            {refused.map(({ name, reason }, index) => (
              <li key={index}>{name === '' ? reason : t('{0} was not added. {1}', name, reason)}</li>
            ))}
          </ul>
          <button class="icon" aria-label={t('Close')} title={t('Close')} onClick={onClose}>
            <Icon name="close" />
          </button>
        </div>
      )}
    </div>
  );
}
