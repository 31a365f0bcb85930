import type { Line, Place } from '../../src/shared/view';
import { host } from '../bridge';
import { text } from '../format/text';
import { act, fail } from '../state';

/** Opens a place that an item or a question names. */
export function openPlace(id: string, place: Place): void {
  void host('open', { id, place }).catch(() => {}); // the extension says why
}

/** Does what a line of an item is a button for, if it is one. */
export function doLine(id: string, { action, place }: Line): (() => void) | undefined {
  if (action !== undefined) {
    return () => void act(id, typeof action === 'string' ? action : action.id).catch(fail);
  }
  return place && (() => openPlace(id, place));
}

/** A line that says something. */
export function Fact({ line: { label, text: of, look } }: { line: Line }) {
  return (
    <p class={look === 'warning' ? 'problem' : 'dim'}>
      {label && `${text(label)}: `}
      {label ? <code>{text(of)}</code> : text(of)}
    </p>
  );
}
