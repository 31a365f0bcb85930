import { flushSync } from 'preact/compat';
import { fold } from '../../src/shared/fold';
import type { ToView } from '../../src/shared/messages';
import { setStrings } from '../strings';
import { load, reload, show, showScreen } from './sessions';
import { ask } from './requests';
import { getState, setState } from './store';
import { changed } from './view';

/** Takes a message of the extension into the state. */
export function receive(message: ToView): void {
  switch (message.type) {
    case 'init': {
      const { type: _, language, strings, sessionId, window: shown, ...rest } = message;
      setStrings(language, strings);
      setState({ ready: true, ...rest, window: fold(shown) });
      if (sessionId !== undefined) {
        void load(sessionId);
      }
      break;
    }
    case 'view':
    case 'earlier':
    case 'changes':
      changed(message);
      break;
    case 'server': {
      const before = getState().server.state;
      const { server, modes = getState().modes } = message;
      setState({ server, modes });
      if (server.state === 'running' && before !== 'running') {
        reload();
      }
      break;
    }
    case 'unread':
      setState({ unread: message.sessions });
      break;
    case 'editorContext':
      setState({ editorContext: message.context });
      break;
    case 'settings':
      setState({ settings: message.settings });
      break;
    case 'show':
      void show(message.sessionId);
      break;
    case 'compose':
    case 'task':
      showChat();
      ask(message);
      break;
    case 'do':
      if (!anywhere.has(message.what)) {
        showChat();
      }
      ask(message);
      break;
    case 'notification':
    case 'draft':
    case 'result':
    case 'failure':
      break; // what is for a part of the view, or for the bridge
  }
}

/** What is done on whichever screen is shown. */
const anywhere: ReadonlySet<Extract<ToView, { type: 'do' }>['what']> = new Set(['sessions', 'stop', 'copyAll']);

/** Shows the conversation at once: what is hidden cannot get the focus. */
function showChat(): void {
  flushSync(() => showScreen('chat'));
}
