import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { SessionInfo } from '../../src/shared/wire';
import { visibleLine } from '../../src/shared/visible';
import { host } from '../bridge';
import { IconButton } from '../icon';
import { answer, getState, isOfList, onAsk, show, showScreen, useStore } from '../state';
import { forgetDraft } from '../prompt/draft';
import { language, t, words } from '../strings';
import { activityOf, grouped, moved, timeOf, type Activity } from './list';
import { useSessions, type Loaded } from './load';
import { Row, type Actions } from './row';

onAsk((request) => {
  if (request.type !== 'do' || request.what !== 'sessions') {
    return false;
  }
  showScreen('sessions');
  return true;
});

/** The screen of sessions, in place of the conversation. */
export function Sessions() {
  const folder = useStore(({ folders }) => folders[0]);
  const [query, setQuery] = useState('');
  const [everywhere, setEverywhere] = useState(false);
  const all = everywhere || folder === undefined;
  const loaded = useSessions({ query: query.trim(), cwd: all ? undefined : folder });
  const screen = useRef<HTMLElement>(null);
  const search = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => search.current?.focus(), []);
  const { list, loading, error } = loaded;
  const now = new Date();

  return (
    <section
      ref={screen}
      class="sessions"
      aria-label={t('Sessions')}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && !event.defaultPrevented) {
          event.preventDefault();
          query === '' ? showScreen('chat') : setQuery('');
        }
      }}
    >
      <div class="sessions-top">
        <div class="sessions-bar">
          <IconButton icon="arrow-left" class="session-action" title={t(words.backToConversation)} onClick={() => showScreen('chat')} />
          <h2>{t('Sessions')}</h2>
          <IconButton icon="add" class="session-action" title={t(words.newSession)} onClick={() => show()} />
        </div>
        <input
          ref={search}
          type="search"
          class="session-field"
          aria-label={t(words.searchSessions)}
          placeholder={t(words.searchPlaceholder)}
          value={query}
          onInput={(event) => setQuery(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'ArrowDown') {
              event.preventDefault();
              rows(screen.current)[0]?.focus();
            }
          }}
        />
        {folder !== undefined && (
          <label class="sessions-scope">
            <input type="checkbox" checked={everywhere} onChange={(event) => setEverywhere(event.currentTarget.checked)} />
            {t(words.allProjects)}
          </label>
        )}
      </div>
      {error !== undefined && (
        <p class="sessions-error" role="alert">
          {error}
        </p>
      )}
      <Days loaded={loaded} all={all} now={now} screen={screen} />
      <p class="sessions-state" role="status">
        {loading ? t(words.loading) : list.sessions.length === 0 ? (query === '' ? t(words.noSessions) : t(words.noMatch)) : ''}
      </p>
      {list.nextCursor !== undefined && !loading && (
        <button type="button" class="question-answer" onClick={loaded.more}>
          {t(words.showMore)}
        </button>
      )}
    </section>
  );
}

/** The titles of the list, in the order of the page. */
function rows(screen: HTMLElement | null): HTMLElement[] {
  return [...(screen?.querySelectorAll<HTMLElement>('.session-open') ?? [])];
}

interface DaysProps {
  loaded: Loaded;
  all: boolean;
  now: Date;
  screen: { current: HTMLElement | null };
}

function Days({ loaded, all, now, screen }: DaysProps) {
  const shown = useStore((state) => state.sessionId);
  const questions = useStore((state) => state.window.questions);
  const unread = useStore((state) => state.unread);
  const [active, setActive] = useState<string>();
  const { sessions } = loaded.list;
  const activity = (session: SessionInfo): Activity =>
    activityOf(
      session,
      questions.some((question) => question.sessionId === session.sessionId && !isOfList(question)),
      unread.includes(session.sessionId),
    );
  const groups = grouped(sessions, activity, now, language());
  const stop = sessions.some(({ sessionId }) => sessionId === active) ? active : groups[0]?.sessions[0]?.sessionId;

  const onMove = (sessionId: string, key: string): boolean => {
    const all = rows(screen.current);
    const index = all.findIndex((row) => row.closest<HTMLElement>('.session')?.dataset['session'] === sessionId);
    const to = moved(key, index, all.length);
    if (to === undefined) {
      return false;
    }
    if (to === index && key === 'ArrowDown') {
      loaded.more();
    }
    all[to]?.focus();
    return true;
  };
  return (
    <div class="sessions-list">
      {groups.map(({ label, sessions }) => (
        <section key={label} aria-label={label}>
          <h3 class="sessions-day">{label}</h3>
          <ul>
            {sessions.map((session) => (
              <Row
                key={session.sessionId}
                session={session}
                activity={activity(session)}
                current={session.sessionId === shown}
                active={session.sessionId === stop}
                time={timeOf(session.updatedAt, now, language())}
                project={all ? projectOf(session) : undefined}
                actions={actionsOf(session, loaded)}
                onFocus={() => setActive(session.sessionId)}
                onMove={(key) => onMove(session.sessionId, key)}
              />
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

function projectOf({ cwd }: SessionInfo): string {
  return visibleLine(cwd.split(/[\\/]/).findLast((part) => part !== '') ?? cwd);
}

function actionsOf({ sessionId }: SessionInfo, { remove, refuse }: Loaded): Actions {
  return {
    open: () => show(sessionId),
    openInEditor: () => void host('openInEditor', { sessionId }).catch(refuse),
    rename: (title) => void answer(sessionId, 'rename', { values: { title: [title] } }).catch(refuse),
    act: (id) => void answer(sessionId, id).catch(refuse),
    remove: () => forget(sessionId, remove),
    exportAs: (format) => void host('exportSession', { sessionId, format }).catch(refuse),
  };
}

/** Takes a deleted session out of the view, and leaves the focus in the list. */
function forget(sessionId: string, remove: (sessionId: string) => void): void {
  remove(sessionId);
  if (getState().sessionId === sessionId) {
    show();
    showScreen('sessions');
  }
  forgetDraft(sessionId);
  requestAnimationFrame(() => document.querySelector<HTMLElement>('.session-open[tabindex="0"]')?.focus());
}
