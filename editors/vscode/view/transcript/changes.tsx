import type { Item } from '../../src/shared/view';
import { text } from '../format/text';
import { Icon, IconButton } from '../icon';
import { Actions, Remedies } from './actions';
import { doLine } from './lines';
import { PartView } from './part';

/** What looks of a check are drawn with. */
const checks: Record<string, { icon: string; class: string }> = { good: { icon: 'verified', class: 'good' }, warning: { icon: 'warning', class: 'bad' } };

/** The lines of a call that are about its edits. */
export const aboutEdits: ReadonlySet<string | undefined> = new Set(['file', 'edits', 'check']);

/** The edits of a call, with what can be done with all of them. */
export function Edits({ item }: { item: Item }) {
  const { id, parts = [], lines = [], actions = [] } = item;
  const files = lines.filter((line) => line.id === 'file');
  const states = lines.filter((line) => line.id === 'edits');
  const waits = states.some(({ look }) => look === 'pending');
  const check = lines.find((line) => line.id === 'check');
  const look = checks[check?.look ?? ''] ?? { icon: 'unverified', class: 'dim' };
  let file = 0;
  return (
    <div class="change-set">
      {parts.map((part, index) => {
        if (part.kind !== 'diff') {
          return null;
        }
        const line = files[file++];
        return (
          <div key={index} class="file-change">
            <PartView of={id} index={index} part={part} open={waits && files.length <= 3} />
            {line && <IconButton icon="diff" title={text(typeof line.action === 'object' ? line.action.title : line.text)} onClick={doLine(id, line)} />}
          </div>
        );
      })}
      {states.length > 0 && (
        <div class="change-set-foot">
          <span class="change-set-state">{states.map((line) => text(line.text)).join(' · ')}</span>
          {check && (
            <span class={`verified ${look.class}`}>
              <Icon name={look.icon} />
              {text(check.text)}
            </span>
          )}
          <span class="change-set-buttons">
            <Actions of={{ id, actions }} only={(id) => id === 'diff'} />
            <Remedies of={{ id, actions }} only={(id) => ['review', 'accept', 'reject'].includes(id)} />
          </span>
        </div>
      )}
    </div>
  );
}
