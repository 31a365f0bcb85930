import { useState } from 'preact/hooks';
import { server } from '../bridge';
import { getState, isRunning, useStore, type State } from '../state';
import { t } from '../strings';
import { exact, money, tokens } from '../format/numbers';

/** How much of the model's context the conversation takes, from 0 to 1; undefined until that is known. */
export function share({ conversation, session }: State): number | undefined {
  const { used, size } = conversation.context ?? { used: 0, size: session?.usage.contextLimit ?? 0 };
  return used > 0 && size > 0 ? Math.min(used / size, 1) : undefined;
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

/** Tokens and cost of the session, and the means to make the conversation shorter. */
export function UsagePanel({ onDone, onError }: { onDone: () => void; onError: (error: Error) => void }) {
  const context = useStore((state) => state.conversation.context);
  const usage = useStore((state) => state.conversation.usage ?? state.session?.usage);
  const running = useStore(isRunning);
  const [busy, setBusy] = useState(false);
  const compact = (): void => {
    setBusy(true);
    server('emendo/session/compact', { sessionId: getState().sessionId }).then(onDone, (error: Error) => {
      onDone();
      onError(error);
    });
  };
  const rows: [string, string][] = [];
  if (context) {
    rows.push([t('Context'), t('{0} of {1} tokens ({2} %)', exact(context.used), tokens(context.size), Math.round((100 * context.used) / context.size))]);
  }
  if (usage) {
    rows.push([t('Input, in all'), exact(usage.inputTokens)], [t('of it cached'), exact(usage.cachedTokens)], [t('Output'), exact(usage.outputTokens)]);
    if (usage.thoughtTokens > 0) {
      rows.push([t('Thoughts'), exact(usage.thoughtTokens)]);
    }
    if (usage.cost) {
      const { amount, currency, estimated, atLeast } = usage.cost;
      const about = atLeast ? t('at least {0}; some prices are not known', money(amount, currency)) : t('about {0}, by the published prices', money(amount, currency));
      rows.push([t('Cost'), estimated ? about : money(amount, currency)]);
    }
  }
  return (
    <>
      <dl class="usage">
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <div class="panel-foot">
        <button data-first disabled={running || busy} onClick={compact}>
          {busy ? t('Summarizing…') : t('Compact the conversation')}
        </button>
        <p>{t('The model gets a summary of the older part. What you see stays.')}</p>
      </div>
    </>
  );
}
