import { named } from '../../src/shared/fold';
import type { Action, Item } from '../../src/shared/view';
import { text } from '../format/text';
import { IconButton } from '../icon';
import { act, fail, useStore } from '../state';

const icons: Record<string, string> = {
  stop: 'debug-stop',
  copy: 'copy',
  diff: 'diff-multiple',
  edit: 'edit',
  back: 'discard',
  fork: 'repo-forked',
  up: 'arrow-up',
  down: 'arrow-down',
  front: 'fold-up',
  steer: 'compass',
  interrupt: 'debug-step-over',
  remove: 'trash',
  terminal: 'terminal',
};

interface Props {
  of: Pick<Item, 'id' | 'actions'>;
  /** Those that are shown; all of them without. */
  only?: (id: string) => boolean;
  /** Does an action in another way than by its item alone. */
  run?: (action: Action) => void;
}

/** What can be done with an item, as buttons with their titles. */
export function Remedies({ of, only, run }: Props) {
  const actions = useActions(of, only);
  if (actions.length === 0) {
    return null;
  }
  return (
    <div class="remedies">
      {actions.map((action) => (
        <button key={action.id} type="button" class="small-button" onClick={() => (run ?? doOf(of.id))(action)}>
          {text(action.title)}
        </button>
      ))}
    </div>
  );
}

/** The same as icons. `about` is behind the title for those who do not see what it is about. */
export function Actions({ of, only, run, about }: Props & { about?: string }) {
  return useActions(of, only).map((action) => (
    <IconButton
      key={action.id}
      icon={icons[action.look ?? action.id] ?? icons[action.id] ?? 'circle-small'}
      title={text(action.title)}
      label={about === undefined ? text(action.title) : `${text(action.title)}: ${about}`}
      onClick={() => (run ?? doOf(of.id))(action)}
    />
  ));
}

function useActions({ actions = [] }: Props['of'], only: Props['only'] = () => true): Action[] {
  const verbs = useStore(({ view }) => view.verbs);
  return actions.flatMap((action) => named({ verbs }, action) ?? []).filter(({ id }) => only(id));
}

/** Does an action of an item. */
export function doOf(id: string): (action: Action) => void {
  return (action) => void act(id, action.id).catch(fail);
}
