import type { Action } from '../../src/shared/view';
import { host } from '../bridge';

/** What helps against an error: buttons that open what only the editor has. */
export function Helps({ actions = [] }: { actions: readonly Action[] | undefined }) {
  return (
    <>
      {actions.map(({ id, title, steps = [] }) => (
        <button key={id} onClick={() => steps.forEach((step) => 'client' in step && void host('client', step).catch(() => {}))}>
          {title.text}
        </button>
      ))}
    </>
  );
}
