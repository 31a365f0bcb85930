import { useRef, useState } from 'preact/hooks';
import { visibleLine } from '../../src/shared/visible';
import { host } from '../bridge';
import { text } from '../format/text';
import { Icon, IconButton } from '../icon';
import { Panel } from '../prompt/panel';
import { Picker } from '../prompt/picker';
import { ask, getState, isStored, show, showScreen, useStore } from '../state';
import { t, words } from '../strings';

/** The session's title, and what can be done with all of it. */
export function Header() {
  const title = useStore(({ view }) => view.session?.title);
  const stored = useStore(isStored);
  const screen = useStore((state) => state.screen);
  const [open, setOpen] = useState(false);
  const more = useRef<HTMLButtonElement>(null);
  if (screen === 'sessions') {
    return null; // it has a header of its own
  }
  const close = (back: boolean): void => {
    setOpen(false);
    if (back) {
      more.current?.focus();
    }
  };
  return (
    <header class="header">
      <h1 title={title && visibleLine(title)}>{title ? visibleLine(title) : t(words.newSession)}</h1>
      <IconButton icon="add" class="" title={t(words.newSession)} onClick={begin} />
      <IconButton icon="history" class="" title={t('Sessions')} onClick={() => showScreen('sessions')} />
      {stored && (
        <button ref={more} aria-label={t(words.moreActions)} title={t(words.moreActions)} aria-haspopup="dialog" aria-expanded={open} onClick={() => setOpen(!open)}>
          <Icon name="ellipsis" />
        </button>
      )}
      {open && (
        <Panel label={t(words.moreActions)} onClose={close}>
          <Picker
            id="session-actions"
            label={t(words.moreActions)}
            options={Object.entries(actions()).map(([id, { label }]) => ({ id, label }))}
            selected=""
            filter={false}
            onChoose={(id) => {
              close(true);
              actions()[id]!.run();
            }}
          />
        </Panel>
      )}
    </header>
  );
}

/** Shows an empty session with the cursor in the prompt. */
function begin(): void {
  show();
  ask({ type: 'do', what: 'focusPrompt' });
}

function actions(): Record<string, { label: string; run: () => void }> {
  const { sessionId = '', place, view } = getState();
  const exported = (format: 'markdown' | 'json') => (): void => void host('exportSession', { sessionId, format }).catch(() => {}); // the editor says why
  return {
    find: { label: t(words.find), run: () => ask({ type: 'do', what: 'find' }) },
    copy: { label: text(view.verbs.get('copy')?.title ?? { text: t('Copy') }), run: () => ask({ type: 'do', what: 'copyAll' }) },
    markdown: { label: t(words.exportMarkdown), run: exported('markdown') },
    json: { label: t(words.exportJson), run: exported('json') },
    ...(place === 'view' && {
      tab: { label: t(words.openInTab), run: () => void host('openInEditor', { sessionId }).catch(() => {}) },
    }),
  };
}
