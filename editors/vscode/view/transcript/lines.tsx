import type { Line, Place } from '../../src/shared/view';
import { host } from '../bridge';
import { text } from '../format/text';
import { act, fail } from '../state';

/** Opens a file where the user reads it. */
export function openPlace({ uri, newUri, range }: Place): void {
  const lines = range && { line: range.start.line + 1, column: range.start.character + 1, ...(range.end.line > range.start.line && { endLine: range.end.line }) };
  void host('openFile', { uri: newUri ?? uri, ...lines }).catch(() => {}); // the extension says why
}

/** Does what a line of an item is a button for, if it is one. */
export function doLine(id: string, { action, place }: Line): (() => void) | undefined {
  if (action !== undefined) {
    return () => void act(id, typeof action === 'string' ? action : action.id).catch(fail);
  }
  return place && (() => openPlace(place));
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
