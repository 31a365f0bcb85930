import { visibleLine } from '../../src/shared/visible';
import type { StopReason } from '../../src/shared/wire';
import { host } from '../bridge';
import { Icon } from '../icon';
import { ask, rewind, send, show, showDiff, useStore } from '../state';
import type { PromptItem, Turn } from '../state/conversation';
import { t } from '../strings';
import { Counts } from './diff_view';
import { duration, money, tokens } from '../format/numbers';
import { shortPath } from '../format/paths';
import { NoticeText } from './notice';
import { remedies, type Offer } from './remedies';
import { Remedy } from './remedy';
import { cameToNothing, failureOf, firstPrompt, lacksAnswer, promptText } from './text';

/** Why a turn ended, where that is not because the model was done. */
function stopText(reason: StopReason): string {
  switch (reason) {
    case 'end_turn':
      return '';
    case 'max_tokens':
      return t("The answer reached the model's limit.");
    case 'max_turn_requests':
      return t('The turn reached the limit of model requests.');
    case 'refusal':
      return t('The provider stopped the answer.');
    case 'cancelled':
      return t('Cancelled.');
    case '_emendo/loop':
      return t('Stopped: the model repeated itself.');
    case '_emendo/blocked':
      return t('The provider refused the prompt.');
    case '_emendo/error':
      return t('The turn failed.');
  }
}

/** Sends a failed turn's prompt again, in place of the turn if nothing came of it. */
async function tryAgain(turn: Turn, prompt: PromptItem): Promise<void> {
  const blocks = [...prompt.blocks];
  if (cameToNothing(turn)) {
    await rewind(turn.id, 'conversation').catch(() => {}); // else it stays above the new one
  }
  await send(blocks).catch(() => {});
}

/** What a turn came to: files, time, tokens and cost, or why it failed. */
export function Summary({ turn, last }: { turn: Turn; last: boolean }) {
  const folders = useStore((state) => state.folders);
  const { end, error, model, state } = turn;
  if (state === 'running') {
    return null;
  }
  const stop = end ? stopText(end.stopReason) : t('Interrupted: the server ended before the turn did.');
  const told = failureOf(turn);
  const failed = error !== undefined || end === undefined || end.stopReason === '_emendo/error';
  const overflow = turn.items.some((item) => item.kind === 'notice' && item.code === 'context_overflow');
  const facts: string[] = [];
  if (end?.durationMs !== undefined) {
    facts.push(duration(end.durationMs));
  }
  if (end && end.usage.totalTokens > 0) {
    facts.push(t('{0} in, {1} out', tokens(end.usage.inputTokens), tokens(end.usage.outputTokens + end.usage.thoughtTokens)));
  }
  if (end?.usage.cost) {
    const { amount, currency, estimated, atLeast } = end.usage.cost;
    const cost = money(amount, currency);
    facts.push(atLeast ? `≥ ${cost.replace('< ', '')}` : estimated && !cost.startsWith('<') ? `≈ ${cost}` : cost);
  }
  if (model !== undefined) {
    facts.push(visibleLine(model));
  }
  const prompt = firstPrompt(turn);
  return (
    <footer class="summary">
      {(end?.files ?? []).length > 0 && (
        <ul class="summary-files" aria-label={t('Files changed')}>
          {end!.files!.map(({ uri, added, removed, changeSetId }) => (
            <li key={uri}>
              <button
                type="button"
                class="text-button"
                onClick={() => (changeSetId === undefined ? void host('openFile', { uri }).catch(() => {}) : showDiff(changeSetId, uri))}
              >
                <bdi>{shortPath(uri, folders)}</bdi>
              </button>
              <Counts added={added} removed={removed} />
            </li>
          ))}
        </ul>
      )}
      {failed && (
        <div class="notice notice-error turn-error" role="note" aria-label={t('Error')}>
          <Icon name="error" />
          <div>
            {told ? <NoticeText title={told.title} description={told.description} /> : (error?.message ?? stop)}
            <div class="remedies">
              {last && prompt && overflow && (
                <button type="button" class="small-button" onClick={() => void startAnew(prompt)}>
                  {t('Ask in a new session')}
                </button>
              )}
              {last && prompt && !overflow && (
                <button type="button" class="small-button" onClick={() => void tryAgain(turn, prompt)}>
                  {t('Try again')}
                </button>
              )}
            </div>
            <Remedy remedies={offers(told?.code, error?.code)} />
          </div>
        </div>
      )}
      {!failed && stop !== '' && <p class="dim">{stop}</p>}
      {lacksAnswer(turn) && <p class="dim">{t('The model ended the turn without an answer.')}</p>}
      {facts.length > 0 && <p class="facts">{facts.join(' · ')}</p>}
    </footer>
  );
}

/** What helps against faults with these codes, each once. */
function offers(...codes: (string | undefined)[]): Offer[] {
  const all = codes.flatMap(remedies);
  return all.filter(({ command }, index) => all.findIndex((offer) => offer.command === command) === index);
}

/** Puts a prompt that did not fit into the prompt box of a new session. */
async function startAnew({ blocks }: PromptItem): Promise<void> {
  await show();
  ask({ type: 'compose', text: promptText(blocks.filter(({ type }) => type === 'text')), focus: true });
}
