import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { SessionInfo } from '../../src/shared/wire';
import { visibleLine } from '../../src/shared/visible';
import type { Question } from '../../src/shared/view';
import { text } from '../format/text';
import { Icon, IconButton } from '../icon';
import { Question as Asked } from '../questions/question';
import { answer, fail, getState, isOfList, useStore } from '../state';
import { t, words } from '../strings';
import type { Activity } from './list';

export interface Actions {
  open: () => void;
  openInEditor: () => void;
  rename: (title: string) => void;
  /** Does one of the actions that the list offers. */
  act: (id: string) => void;
  /** Takes it out of the list. */
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

/** The icons of what the list offers and a row shows. */
const signs: Record<string, string> = { rename: 'edit', fork: 'repo-forked', delete: 'trash' };

const icons = { asks: 'bell-dot', review: 'diff', working: 'loading', unread: 'circle-filled', idle: 'comment' } as const;

/** A session in the list, with what can be done with it. */
export function Row(props: Props) {
  const { session, activity, current, active, time, project, actions, onFocus, onMove } = props;
  const [renaming, setRenaming] = useState(false);
  const question = useStore(({ window }) => window.questions.find((question) => isOfList(question) && question.sessionId === session.sessionId));
  const open = useRef<HTMLButtonElement>(null);
  const asked = useRef(false);
  useLayoutEffect(() => {
    if (asked.current && !question) {
      open.current?.focus();
    }
    asked.current = question !== undefined;
  }, [question]);
  const title = titleOf(session);
  const done = (): void => {
    setRenaming(false);
    requestAnimationFrame(() => open.current?.focus());
  };
  if (renaming) {
    return (
      <li class="session">
        <Rename
          label={text(session.actions?.find(({ id }) => id === 'rename')?.fields?.[0]?.label ?? { text: title })}
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
  if (question) {
    return (
      <li class="session">
        <Delete question={question} done={(deleted) => deleted && actions.remove()} />
      </li>
    );
  }
  const offered = (session.actions ?? []).filter(({ id }) => id in signs);
  const says = [activity === 'unread' ? t('New') : undefined, session.note && text(session.note), time, project].filter((text) => text !== undefined);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (onMove(event.key)) {
      event.preventDefault();
    } else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      actions.openInEditor();
    } else if (event.key === 'F2') {
      event.preventDefault();
      setRenaming(true);
    } else if (event.key === 'Delete' || (event.key === 'Backspace' && event.metaKey)) {
      event.preventDefault();
      actions.act('delete');
    }
  };
  const action = (icon: string, label: string, run: () => void) => (
    <IconButton icon={icon} class="session-action" title={label} label={`${label}: ${title}`} tabIndex={active ? 0 : -1} onClick={run} />
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
        <Icon name={icons[activity]} spin={activity === 'working'} />
        <span class="session-words">
          <span class="session-title">{title}</span>
          <span class="session-detail">{says.join(' · ')}</span>
        </span>
      </button>
      <div class="session-actions" role="group" aria-label={t('Actions')}>
        {offered.map(({ id, title }) => id !== 'delete' && action(signs[id]!, text(title), () => (id === 'rename' ? setRenaming(true) : actions.act(id))))}
        {action('open-preview', t(words.openInTabKey), actions.openInEditor)}
        {action('markdown', t(words.exportMarkdown), () => actions.exportAs('markdown'))}
        {action('json', t(words.exportJson), () => actions.exportAs('json'))}
        {offered.map(({ id, title }) => id === 'delete' && action(signs[id]!, text(title), () => actions.act(id)))}
      </div>
    </li>
  );
}

export function titleOf({ title, label }: SessionInfo): string {
  return label ? text(label) : visibleLine(title);
}

/** A field in place of the title. Calls back without a title if it stays. */
function Rename({ label, title, done }: { label: string; title: string; done: (title: string | undefined) => void }) {
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
      aria-label={label}
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

/** Asks whether a session is to be deleted, in its place. Who goes elsewhere keeps it. */
function Delete({ question, done }: { question: Question; done: (deleted: boolean) => void }) {
  const row = useRef<HTMLDivElement>(null);
  const { id } = question;
  const keep = (): HTMLElement | undefined => [...(row.current?.querySelectorAll<HTMLElement>('.question-answer') ?? [])].at(-1);
  useLayoutEffect(() => {
    keep()?.focus(); // Enter alone deletes nothing
    return () => {
      if (getState().window.questions.some((open) => open.id === id)) {
        void answer(id, 'cancel').catch(() => {}); // it was answered meanwhile
      }
    };
  }, [id]);
  return (
    <div
      ref={row}
      onKeyDownCapture={(event) => {
        if (event.key === 'Escape' || (event.key === 'Enter' && event.target === keep())) {
          event.preventDefault(); // to keep it counts at once, unlike to delete it
          event.stopPropagation();
          void answer(id, 'cancel').then(() => done(false), fail);
        }
      }}
    >
      <Asked question={question} onAnswered={(option) => done(option === 'delete')} />
    </div>
  );
}
