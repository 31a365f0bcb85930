import { useEffect, useMemo, useRef } from 'preact/hooks';
import { Icon, IconButton } from '../icon';
import { act, cancel, fail, getState, loadEarlier, onAsk, show, useStore } from '../state';
import { setState } from '../state/store';
import { t, words } from '../strings';
import { Remedies } from './actions';
import { Announcer } from './announce';
import { Empty, Obstacles } from './empty';
import { Find } from './find';
import { useBelow } from './items';
import { watchNear } from './near';
import { PendingPrompt } from './prompt_item';
import { useFollowing } from './scroll';
import { ItemView, TurnView } from './turn';

/** The conversation. */
export function Transcript() {
  const top = useBelow('');
  const turns = useMemo(() => top.filter((id) => getState().view.items.get(id)?.kind === 'turn'), [top]);
  const pending = useStore((state) => state.pending);
  const status = useStore(({ view }) => view.status);
  const loading = useStore((state) => state.loading);
  const loadError = useStore((state) => state.loadError);
  const sessionId = useStore((state) => state.sessionId);
  const box = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const { following, toEnd, toElement } = useFollowing(box, content);
  const finding = useStore((state) => state.finding);

  useEffect(toEnd, [sessionId, pending.length > 0]);
  useEffect(
    () =>
      onAsk((request) => {
        if (request.type !== 'do') {
          return false;
        }
        switch (request.what) {
          case 'find':
            find();
            return true;
          case 'stop':
            cancel();
            return true;
          case 'copyAll':
            void act('status', 'copy').catch(fail);
            return true;
          case 'nextTurn':
          case 'previousTurn':
            moveTurn(box.current, request.what === 'nextTurn' ? 1 : -1);
            return true;
          default:
            return false;
        }
      }),
    [],
  );
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === 'f') {
        event.preventDefault();
        event.stopPropagation(); // or the editor's own find opens too
        find();
      }
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);

  const numbers = new Map(turns.map((id, index) => [id, index + 1]));
  const nothing = top.length === 0 && pending.length === 0 && !loading && loadError === undefined;
  return (
    <div class="transcript-frame">
      {finding && (
        <Find
          content={content}
          show={toElement}
          onClose={() => {
            setState({ finding: false, found: new Set() });
            box.current?.focus();
          }}
        />
      )}
      <div
        class="transcript"
        ref={box}
        role="log"
        aria-live="off"
        aria-busy={loading}
        aria-label={t('Conversation')}
        tabIndex={0}
        onKeyDown={(event) => {
          if (event.altKey && (event.key === 'ArrowDown' || event.key === 'ArrowUp')) {
            event.preventDefault();
            moveTurn(box.current, event.key === 'ArrowDown' ? 1 : -1);
          }
        }}
      >
        <div class="transcript-content" ref={content}>
          <Obstacles />
          {loadError !== undefined && <LoadError message={loadError} />}
          <Earlier />
          {loading && top.length === 0 && <p class="progress">{t(words.loadingSession)}</p>}
          {nothing && <Empty />}
          {top.map((id) => {
            const number = numbers.get(id);
            return number === undefined ? <ItemView key={id} id={id} /> : <TurnView key={id} id={id} number={number} last={number >= turns.length - 1} />;
          })}
          {pending.map(({ id, blocks }) => (
            <PendingPrompt key={id} blocks={blocks} />
          ))}
          {status && <Remedies of={status} only={(id) => id === 'redo'} />}
        </div>
      </div>
      {!following && turns.length > 0 && (
        <IconButton icon="arrow-down" class="to-end" title={t(words.toEnd)} onClick={toEnd} />
      )}
      <Announcer />
    </div>
  );
}

/** Opens the field to find text, or goes to it. */
function find(): void {
  setState({ finding: true });
  document.querySelector<HTMLInputElement>('.find input')?.select();
}

/** Brings what is before the first item when the reader comes near it. */
function Earlier() {
  const first = useStore(({ view }) => (view.earlier ? view.below.get('')?.[0] : undefined));
  const size = useStore(({ view }) => view.items.size);
  const line = useRef<HTMLParagraphElement>(null);
  useEffect(() => (first === undefined ? undefined : watchNear(line.current!, () => void loadEarlier())), [first, size]);
  return first === undefined ? null : (
    <p class="progress earlier" ref={line}>
      <Icon name="loading" spin /> {t(words.loadingEarlier)}
    </p>
  );
}

function LoadError({ message }: { message: string }) {
  const sessionId = useStore((state) => state.sessionId);
  return (
    <div class="notice notice-error" role="alert">
      <Icon name="error" />
      <div>
        <strong>{t(words.notLoaded)}</strong> {message}
        <div class="remedies">
          <button type="button" class="small-button" onClick={() => void show(sessionId)}>
            {t(words.tryAgain)}
          </button>
          <button type="button" class="small-button" onClick={() => void show()}>
            {t(words.newSession)}
          </button>
        </div>
      </div>
    </div>
  );
}

/** Moves the focus to the next or previous turn: from the one that has it, or from the one that is seen. */
function moveTurn(box: HTMLElement | null, by: 1 | -1): void {
  const turns = [...(box?.querySelectorAll<HTMLElement>('article.turn') ?? [])];
  if (!box || turns.length === 0) {
    return;
  }
  const focused = turns.findIndex((turn) => turn.contains(document.activeElement));
  const top = box.getBoundingClientRect().top;
  const seen = turns.findIndex((turn) => turn.getBoundingClientRect().bottom > top + 8);
  const from = focused >= 0 ? focused : by > 0 ? seen - 1 : seen + 1;
  const turn = turns[Math.min(turns.length - 1, Math.max(0, from + by))]!;
  turn.focus({ preventScroll: true });
  turn.scrollIntoView({ block: 'start' });
}
