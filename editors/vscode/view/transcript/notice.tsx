import type { Item } from '../../src/shared/view';
import { text } from '../format/text';
import { Icon } from '../icon';
import { t } from '../strings';
import { Remedies } from './actions';
import { PartView } from './part';

/** Something that the user should know, and what to do about it. */
export function Notice({ item }: { item: Item }) {
  const { id, look = 'info', state, title, note, parts = [] } = item;
  if (look === 'info' && (state !== undefined || title.code === 'notice.model')) {
    return (
      <div class="compaction" data-item={id}>
        <Icon name={state === 'running' ? 'loading' : state === undefined ? 'info' : 'fold'} spin={state === 'running'} />
        <span>
          {text(title)} {note && text(note)} {parts.map(({ text }) => text).join(' ')}
        </span>
      </div>
    );
  }
  const apart = id in obstacles ? ' obstacle' : '';
  const severity = look in icons ? (look as keyof typeof icons) : 'info';
  const kinds = { info: t('Note'), warning: t('Warning'), error: t('Error') };
  return (
    <div class={`notice notice-${severity}${apart}`} role="note" aria-label={kinds[severity]} data-item={id}>
      <Icon name={obstacles[id] ?? icons[severity]} />
      <div>
        <NoticeText item={item} />
        <Remedies of={item} />
      </div>
    </div>
  );
}

/** The icons of what stands in the way. */
const obstacles: Record<string, string> = { 'obstacle/broken': 'error', 'obstacle/signed_out': 'key', 'obstacle/no_folder': 'folder', 'obstacle/restricted': 'workspace-untrusted' };

const icons = { info: 'info', warning: 'warning', error: 'error' };

/** A title, and below it what there is to say. */
export function NoticeText({ item: { id, title, note, parts = [] } }: { item: Item }) {
  return (
    <>
      <strong>{text(title)}</strong> {note && text(note)}
      {parts.map((part, index) => (
        <PartView key={index} of={id} index={index} part={part} />
      ))}
    </>
  );
}
