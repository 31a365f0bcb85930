import type { CompactionItem, NoticeItem } from '../state/conversation';
import { Icon } from '../icon';
import { t } from '../strings';
import { remedies } from './remedies';
import { Remedy } from './remedy';
import { tokens } from '../format/numbers';

const icons = { info: 'info', warning: 'warning', error: 'error' };

/** Something that the user should know, and what to do about it. */
export function Notice({ item: { severity, title, description, code } }: { item: NoticeItem }) {
  if (code === 'model' && severity === 'info') {
    return (
      <p class="model-notice dim">
        {title} {description}
      </p>
    );
  }
  const kinds = { info: t('Note'), warning: t('Warning'), error: t('Error') };
  return (
    <div class={`notice notice-${severity}`} role="note" aria-label={kinds[severity]}>
      <Icon name={icons[severity]} />
      <div>
        <NoticeText title={title} description={description} />
        <Remedy remedies={remedies(code)} />
      </div>
    </div>
  );
}

/** A title, and below it what there is to say. */
export function NoticeText({ title, description }: { title: string; description: string }) {
  return (
    <>
      <strong>{title}</strong>
      {description !== '' && <p class="notice-text">{description}</p>}
    </>
  );
}

/** That the older part of the conversation was summarised for the model. */
export function Compaction({ item: { status, originalTokens, newTokens } }: { item: CompactionItem }) {
  const texts = {
    in_progress: t('Shortening the history for the model…'),
    completed: t('The history was shortened for the model.'),
    failed: t('The history could not be shortened.'),
  };
  return (
    <div class="compaction">
      <Icon name={status === 'in_progress' ? 'loading' : status === 'failed' ? 'warning' : 'fold'} spin={status === 'in_progress'} />
      <span>
        {texts[status]}
        {originalTokens !== undefined && newTokens !== undefined && ` ${t('{0} → {1} tokens', tokens(originalTokens), tokens(newTokens))}`}
      </span>
    </div>
  );
}
