import { server } from '../bridge';
import type { QueueItem } from '../../src/shared/wire';
import { Icon } from '../icon';
import { getState, useStore } from '../state';
import { visibleLine } from '../../src/shared/visible';
import { t } from '../strings';
import { fromBlocks } from './blocks';

/** A change to the queue, as emendo/session/editQueue takes it. */
export type QueueEdit = Partial<Pick<QueueItem, 'turnId' | 'messageId' | 'prompt'>> & { position?: number; remove?: true; resume?: true };

export async function editQueue(edit: QueueEdit): Promise<void> {
  await server('emendo/session/editQueue', { sessionId: getState().sessionId, ...edit });
}

interface Props {
  /** The item that is in the prompt box. */
  editing: string | undefined;
  onEdit: (item: QueueItem) => void;
  /** Is told of a prompt that was removed, so that its text is not lost. */
  onRemoved: (text: string) => void;
  onError: (message: string) => void;
}

/** The prompts that wait for the model, in the order in which it gets them. */
export function Queue({ editing, onEdit, onRemoved, onError }: Props) {
  const items = useStore((state) => state.conversation.queue);
  const paused = useStore((state) => state.conversation.queuePaused);
  if (items.length === 0) {
    return null;
  }
  const edit = (change: QueueEdit): Promise<void> => editQueue(change).catch((error: Error) => onError(error.message));
  const turns = items.filter(({ how }) => how !== 'steer');
  return (
    <section class="queue" aria-label={t('Queued prompts')}>
      {paused && (
        <p class="queue-paused">
          <Icon name="debug-pause" />
          <span>{t('The queue is paused.')}</span>
          <button onClick={() => void edit({ resume: true })}>{t('Resume')}</button>
        </p>
      )}
      <ol>
        {items.map((item) => {
          const { text, chips } = fromBlocks(item.prompt);
          const shown = visibleLine(text || chips.map(({ label }) => label).join(', '));
          const key = { turnId: item.turnId, messageId: item.messageId };
          const position = turns.indexOf(item);
          return (
            <li key={item.messageId} class={item.messageId === editing ? 'editing' : ''}>
              <Icon name={item.how === 'steer' ? 'compass' : 'history'} />
              <span class="queue-how">{item.how === 'steer' ? t('Steers') : t('Next')}</span>
              <span class="queue-text" title={shown}>
                {shown}
              </span>
              <button aria-label={t('Edit: {0}', shown)} title={t('Edit')} onClick={() => onEdit(item)}>
                <Icon name="edit" />
              </button>
              {position > 0 && (
                <button aria-label={t('Move up: {0}', shown)} title={t('Move up')} onClick={() => void edit({ ...key, position: position - 1 })}>
                  <Icon name="arrow-up" />
                </button>
              )}
              {position >= 0 && position < turns.length - 1 && (
                <button aria-label={t('Move down: {0}', shown)} title={t('Move down')} onClick={() => void edit({ ...key, position: position + 1 })}>
                  <Icon name="arrow-down" />
                </button>
              )}
              <button
                aria-label={t('Remove: {0}', shown)}
                title={t('Remove (Up in the prompt brings the text back)')}
                onClick={() =>
                  void editQueue({ ...key, remove: true }).then(
                    () => onRemoved(text),
                    (error: Error) => onError(error.message),
                  )
                }
              >
                <Icon name="trash" />
              </button>
            </li>
          );
        })}
      </ol>
    </section>
  );
}
