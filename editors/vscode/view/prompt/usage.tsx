import { useState } from 'preact/hooks';
import { text } from '../format/text';
import { act, fail, useStore, type State } from '../state';
import { t, words } from '../strings';

/** How much of the model's context the conversation takes, from 0 to 1; undefined until that is known. */
export function share({ view: { status } }: State): number | undefined {
  return status?.lines?.find(({ id }) => id === 'context')?.share;
}

/** A ring that fills as the context does. */
export function Ring({ share }: { share: number }) {
  const length = 2 * Math.PI * 6;
  return (
    <svg class={`ring ${share > 0.8 ? 'full' : ''}`} viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <circle class="ring-all" cx="8" cy="8" r="6" />
      <circle class="ring-used" cx="8" cy="8" r="6" stroke-dasharray={`${share * length} ${length}`} transform="rotate(-90 8 8)" />
    </svg>
  );
}

/** The lines of the status that are not somewhere else in the view. */
const elsewhere = new Set(['queue', 'pending', 'unreviewed', 'mode', 'model']);

/** Tokens and cost of the session, and the means to make the conversation shorter. */
export function UsagePanel({ onDone }: { onDone: () => void }) {
  const status = useStore(({ view }) => view.status);
  const compact = useStore(({ view }) => view.verbs.get('compact'));
  const [busy, setBusy] = useState(false);
  const can = status?.actions?.includes('compact') === true;
  return (
    <>
      <dl class="usage">
        {(status?.lines ?? [])
          .filter(({ id = '' }) => !elsewhere.has(id))
          .map(({ label, text: value }, index) => (
            <div key={index}>
              <dt>{label && text(label)}</dt>
              <dd>{text(value)}</dd>
            </div>
          ))}
      </dl>
      {compact && (
        <div class="panel-foot">
          <button
            data-first
            disabled={!can || busy}
            onClick={() => {
              setBusy(true);
              act('status', compact.id).catch(fail).finally(onDone);
            }}
          >
            {busy ? t(words.summarizing) : text(compact.title)}
          </button>
          {compact.detail && <p>{text(compact.detail)}</p>}
        </div>
      )}
    </>
  );
}
