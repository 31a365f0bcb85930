import type { Box } from './box';
import type { History } from './history';
import type { Sending } from './sending';
import type { PanelName } from './toolbar';
import type { Completion } from './use_completion';

interface Around {
  box: Box;
  completion: Completion;
  sending: Sending;
  history: History;
  running: boolean;
  /** Whether Enter sends, or Ctrl+Enter alone. */
  sendOnEnter: boolean;
  openPanel: (panel: PanelName) => void;
}

/** What keys do in the text. All others, and every key while an input method composes, are the textarea's. */
export function usePromptKeys(around: Around): (event: KeyboardEvent) => void {
  return (event) => {
    if (event.isComposing || event.keyCode === 229) {
      return;
    }
    if (completes(event, around.completion) || acts(event, around)) {
      event.preventDefault();
    }
  };
}

/** Keys of the open popup. It takes none when it is closed. */
function completes(event: KeyboardEvent, completion: Completion): boolean {
  const { offers, active } = completion;
  if (offers.length === 0 || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) {
    return false;
  }
  switch (event.key) {
    case 'ArrowDown':
      completion.move(1);
      return true;
    case 'ArrowUp':
      completion.move(-1);
      return true;
    case 'Enter':
      if (completion.isWhole()) {
        return false;
      }
      completion.choose(offers[active]!);
      return true;
    case 'Tab':
      completion.choose(offers[active]!);
      return true;
    case 'Escape':
      event.stopPropagation();
      completion.close();
      return true;
    default:
      return false;
  }
}

function acts(event: KeyboardEvent, { box, completion, sending, history, running, sendOnEnter, openPanel }: Around): boolean {
  const control = event.ctrlKey || event.metaKey;
  const area = box.area.current!;
  const { selectionStart, selectionEnd, value } = area;
  switch (event.key) {
    case 'Enter':
      if (event.shiftKey || (!control && !event.altKey && !sendOnEnter)) {
        return false;
      }
      completion.hide();
      sending.submit(event.altKey && running ? 'steer' : undefined);
      return true;
    case 'ArrowUp':
    case 'ArrowDown': {
      const up = event.key === 'ArrowUp';
      if (control || event.altKey || event.shiftKey || selectionStart !== selectionEnd || selectionStart !== (up ? 0 : value.length)) {
        return false;
      }
      const text = up ? history.previous(value) : history.next(value);
      if (text === undefined) {
        return false;
      }
      box.set({ ...box.read(), text }, up ? 'start' : 'end');
      return true;
    }
    case 'Backspace': {
      const chips = area.closest('.prompt-box')!.querySelectorAll<HTMLElement>('.chip:not(.implicit) .chip-main');
      if (selectionStart !== 0 || selectionEnd !== 0 || chips.length === 0) {
        return false;
      }
      chips[chips.length - 1]!.focus(); // Backspace once more removes it
      return true;
    }
    case 'Escape':
      if (!sending.editing) {
        return false;
      }
      sending.stopEditing();
      return true;
    case '.':
      if (!control) {
        return false;
      }
      openPanel(event.altKey ? 'model' : 'mode');
      return true;
    default:
      return false;
  }
}
