import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { SessionInfo } from '../../src/shared/wire';
import { visibleLine } from '../../src/shared/visible';
import { useGuard } from '../questions/guarded';
import { t, words } from '../strings';
import type { Activity } from './list';

export interface Actions {
  open: () => void;
  openInEditor: () => void;
  rename: (title: string) => void;
  fork: () => void;
  remove: () => void;
  exportAs: (format: 'markdown' | 'json') => void;
}

interface Props {
  session: SessionInfo;
  activity: Activity;
  /** Whether the view shows this session. */
  current: boolean;
  /** Whether Tab stops here. */
  active: boolean;
  time: string;
  /** The project, where those of several are listed. */
  project: string | undefined;
  actions: Actions;
  onFocus: () => void;
  /** Moves in the list; true if the key does. */
  onMove: (key: string) => boolean;
}

const icons = { asks: 'bell-dot', review: 'diff', working: 'loading', unread: 'circle-filled', idle: 'comment' } as const;

/** A session in the list, with what can be done with it. */
export function Row(props: Props) {
  const { session, activity, current, active, time, project, actions, onFocus, onMove } = props;
  const [doing, setDoing] = useState<'rename' | 'delete'>();
  const open = useRef<HTMLButtonElement>(null);
  const title = titleOf(session);
  const done = (): void => {
    setDoing(undefined);
    requestAnimationFrame(() => open.current?.focus());
  };
  if (doing === 'rename') {
    return (
      <li class="session">
        <Rename
          title={session.title}
          done={(title) => {
            if (title !== undefined && title !== session.title) {
              actions.rename(title);
            }
            done();
          }}
        />
      </li>
    );
  }
  if (doing === 'delete') {
    return (
      <li class="session">
        <Delete title={title} keep={done} remove={actions.remove} />
      </li>
    );
  }
  const says = [activity === 'unread' ? t('New') : undefined, session.note?.text, time, project].filter((text) => text !== undefined);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (onMove(event.key)) {
      event.preventDefault();
    } else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      actions.openInEditor();
    } else if (event.key === 'F2') {
      event.preventDefault();
      setDoing('rename');
    } else if (event.key === 'Delete' || (event.key === 'Backspace' && event.metaKey)) {
      event.preventDefault();
      setDoing('delete');
    }
  };
  const action = (icon: string, label: string, run: () => void) => (
    <button type="button" class="session-action" title={label} aria-label={`${label}: ${title}`} tabIndex={active ? 0 : -1} onClick={run}>
      <span class={`codicon codicon-${icon}`} aria-hidden="true" />
    </button>
  );
  return (
    <li class={`session session-${activity}`} data-session={session.sessionId}>
      <button
        ref={open}
        type="button"
        class="session-open"
        tabIndex={active ? 0 : -1}
        aria-current={current}
        onClick={(event) => (event.ctrlKey || event.metaKey ? actions.openInEditor() : actions.open())}
        onFocus={onFocus}
        onKeyDown={onKeyDown}
      >
        <span class={`codicon codicon-${icons[activity]}${activity === 'working' ? ' codicon-modifier-spin' : ''}`} aria-hidden="true" />
        <span class="session-words">
          <span class="session-title">{title}</span>
          <span class="session-detail">{says.join(' · ')}</span>
        </span>
      </button>
      <div class="session-actions" role="group" aria-label={t('Actions')}>
        {action('edit', t('Rename (F2)'), () => setDoing('rename'))}
        {action('repo-forked', t('Continue in a copy'), actions.fork)}
        {action('open-preview', t(words.openInTabKey), actions.openInEditor)}
        {action('markdown', t(words.exportMarkdown), () => actions.exportAs('markdown'))}
        {action('json', t(words.exportJson), () => actions.exportAs('json'))}
        {action('trash', t('Delete'), () => setDoing('delete'))}
      </div>
    </li>
  );
}

export function titleOf({ title, label }: SessionInfo): string {
  return label?.text ?? (visibleLine(title.trim()) || t('Untitled session'));
}

/** A field in place of the title. Calls back without a title if it stays. */
function Rename({ title, done }: { title: string; done: (title: string | undefined) => void }) {
  const field = useRef<HTMLInputElement>(null);
  const over = useRef(false);
  useLayoutEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, []);
  const finish = (title: string | undefined): void => {
    if (!over.current) {
      over.current = true; // the field loses the focus when it goes
      done(title);
    }
  };
  return (
    <input
      ref={field}
      type="text"
      class="session-field"
      aria-label={t('Title of the session')}
      defaultValue={title}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && !event.isComposing) {
          event.preventDefault();
          finish(event.currentTarget.value.trim() || undefined);
        } else if (event.key === 'Escape') {
          event.preventDefault();
          event.stopPropagation();
          finish(undefined);
        }
      }}
      onBlur={(event) => finish(event.currentTarget.value.trim() || undefined)}
    />
  );
}

/** Asks whether a session is to be deleted, in its place. */
function Delete({ title, keep, remove }: { title: string; keep: () => void; remove: () => void }) {
  const row = useRef<HTMLDivElement>(null);
  const first = useRef<HTMLButtonElement>(null);
  const ready = useGuard(row);
  useLayoutEffect(() => first.current?.focus(), []);
  return (
    <div
      class="session-delete"
      role="group"
      aria-label={t('Delete {0}?', title)}
      onKeyDown={(event) => {
        if (event.key === 'Escape') {
          event.preventDefault();
          event.stopPropagation();
          keep();
        }
      }}
    >
      <p>{t('Delete “{0}” for good? This cannot be undone.', title)}</p>
      <div ref={row} class="question-answers">
        <button ref={first} type="button" class="question-answer" onClick={keep}>
          {t('Keep')}
        </button>
        <button type="button" class="question-answer" onClick={() => ready() && remove()}>
          <span class="codicon codicon-trash" aria-hidden="true" />
          {t('Delete')}
        </button>
      </div>
    </div>
  );
}
