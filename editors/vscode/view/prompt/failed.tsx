import { useEffect, useRef } from 'preact/hooks';
import { RequestError } from '../bridge';
import type { Refused } from '../../src/shared/messages';
import { text } from '../format/text';
import { Icon, IconButton } from '../icon';
import { Helps } from './helps';
import { fail, useStore } from '../state';
import { t, words } from '../strings';

/** Why a prompt, or something else that the user wanted, did not work, and what helps. */
export function Failed() {
  const failure = useStore((state) => state.failure);
  const data = failure instanceof RequestError ? failure.data : undefined;
  const signedOut = useStore(({ window }) => window.items.has('obstacle/signed_out'));
  const before = useRef(signedOut);
  useEffect(() => {
    if (data?.code === 'auth_required' && before.current && !signedOut) {
      fail(undefined); // the user has signed in
    }
    before.current = signedOut;
  }, [signedOut]);
  return (
    <div role="alert">
      {failure && (
        <div class="prompt-failed">
          <Icon name="error" />
          <div class="prompt-failed-text">
            {data?.text ? text(data.text) : failure.message}{' '}
            <Helps actions={data?.actions} />
          </div>
          <IconButton icon="close" class="icon" title={t('Close')} onClick={() => fail(undefined)} />
        </div>
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
              <li key={index}>{name === '' ? reason : t(words.notAdded, name, reason)}</li>
            ))}
          </ul>
          <IconButton icon="close" class="icon" title={t('Close')} onClick={onClose} />
        </div>
      )}
    </div>
  );
}
