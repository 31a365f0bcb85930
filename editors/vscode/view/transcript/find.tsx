import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Icon } from '../icon';
import { t, words } from '../strings';
import { setFinding } from './finding';
import { reveal } from './fold';
import { getState, loadEarlier } from '../state';
import { before, nearest, placeOf, type Place } from './matches';
import { most } from './page_matches';
import { turnOf, useMatches, type Found } from './use_matches';

interface Props {
  content: RefObject<HTMLElement | null>;
  /** Draws a turn even if it is out of sight. */
  draw: (turnId: string) => void;
  show: (element: Element) => void;
  onClose: () => void;
}

interface State {
  /** The query that was searched last. */
  searched: string;
  turns: Found[];
  /** Where the user is: which match of a turn. The next one counts if it is not there any more. */
  wanted: Wanted;
}

interface Wanted {
  turnId: string;
  match: number;
}

/**
 * Finds text in the conversation: a view has no find of its own. Matches are
 * counted in all of it, and marked in the turns that are drawn without changing
 * the page; the turn of the current match is drawn, and what is folded around it
 * is opened.
 */
export function Find({ content, draw, show, onClose }: Props) {
  const [query, setQuery] = useState('');
  const [{ searched, turns, wanted }, setFound] = useState<State>({ searched: '', turns: [], wanted: { turnId: '', match: 0 } });
  const field = useRef<HTMLInputElement>(null);
  const counts = turns.map(({ count }) => count);
  const total = counts.reduce((sum, count) => sum + count, 0);
  const place = nearest(counts, { turn: Math.max(0, turns.findIndex(({ turnId }) => turnId === wanted.turnId)), match: wanted.match });
  const index = before(counts, place);
  const wentTo = useRef('');
  useEffect(() => {
    setFinding(true);
    field.current?.focus();
    const selected = document.getSelection()?.toString() ?? '';
    if (selected !== '' && !selected.includes('\n')) {
      setQuery(selected);
    }
    return () => {
      setFinding(false);
      CSS.highlights.delete('find');
      CSS.highlights.delete('find-current');
    };
  }, []);
  const go = ({ turn, match }: Place): void => {
    wentTo.current = '';
    setFound({ searched, turns, wanted: { turnId: turns[turn]?.turnId ?? '', match } });
  };
  useMatches(content, query, (turns, first) => {
    if (first) {
      wentTo.current = '';
    }
    setFound(({ wanted }) => ({ searched: query, turns, wanted: first ? firstSeen(turns) : wanted }));
  });
  useEffect(() => {
    const all = new Highlight();
    for (const range of turns.flatMap(({ ranges }) => ranges ?? [])) {
      all.add(range);
    }
    CSS.highlights.set('find', all);
    const found = turns[place.turn];
    const range = found?.ranges?.[place.match];
    CSS.highlights.set('find-current', range ? new Highlight(range) : new Highlight());
    const here = `${found?.turnId}:${place.match}`;
    if (range && wentTo.current !== here) {
      wentTo.current = here; // from here on the reader may scroll, while the page changes
      const element = range.startContainer.parentElement;
      reveal(element);
      requestAnimationFrame(() => element && show(element));
    } else if (found && found.count > 0 && found.turnId !== '' && !found.ranges) {
      draw(found.turnId);
    } else if (found && found.count > 0 && found.turnId === '') {
      void bring(found.ids[place.match]!).then((turnId) => turnId !== undefined && setFound((now) => ({ ...now, wanted: { turnId, match: 0 } })));
    }
  }, [turns, place.turn, place.match]);
  const move = (by: number): void => {
    if (total > 0) {
      go(placeOf(counts, (index + by + total) % total));
    }
  };
  const shown = counts.some((count) => count >= most) ? `${total}+` : String(total);
  return (
    <div
      class="find"
      role="search"
      onKeyDown={(event) => {
        if (event.key === 'Escape') {
          event.stopPropagation();
          onClose();
        } else if (event.key === 'Enter' && event.target === field.current) {
          event.preventDefault();
          move(event.shiftKey ? -1 : 1);
        }
      }}
    >
      <input
        ref={field}
        type="text"
        aria-label={t(words.find)}
        placeholder={t('Find')}
        value={query}
        onInput={({ currentTarget }) => setQuery(currentTarget.value)}
      />
      <span class="find-count" role="status">
        {searched === '' ? '' : total === 0 ? t(words.noResults) : t('{0} of {1}', index + 1, shown)}
      </span>
      <button type="button" class="icon-button" title={t(words.previousMatch)} aria-label={t(words.previousMatch)} onClick={() => move(-1)}>
        <Icon name="arrow-up" />
      </button>
      <button type="button" class="icon-button" title={t(words.nextMatch)} aria-label={t(words.nextMatch)} onClick={() => move(1)}>
        <Icon name="arrow-down" />
      </button>
      <button type="button" class="icon-button" title={t('Close (Escape)')} aria-label={t('Close (Escape)')} onClick={onClose}>
        <Icon name="close" />
      </button>
    </div>
  );
}

/** Brings the pages before the first item until one has come; returns its turn. */
async function bring(id: string): Promise<string | undefined> {
  for (let before = -1; !getState().view.items.has(id) && getState().view.items.size !== before; ) {
    before = getState().view.items.size;
    await loadEarlier();
    await new Promise(requestAnimationFrame);
  }
  return turnOf(getState().view, id) || undefined;
}

/** The first match that can be seen, or after what is seen. */
function firstSeen(turns: readonly Found[]): Wanted {
  const top = document.querySelector('.transcript')?.getBoundingClientRect().top ?? 0;
  for (const { turnId, element, ranges, count } of turns) {
    if (count === 0 || !element || element.getBoundingClientRect().bottom < top) {
      continue;
    }
    const match = ranges ? ranges.findIndex((range) => isBelow(range, top)) : 0;
    if (match >= 0) {
      return { turnId, match };
    }
  }
  return { turnId: turns.find(({ count, turnId }) => count > 0 && turnId !== '')?.turnId ?? '', match: 0 };
}

/** Whether a match is not folded and not above a line. */
function isBelow({ startContainer, startOffset, endContainer, endOffset }: StaticRange, top: number): boolean {
  const range = document.createRange();
  range.setStart(startContainer, startOffset);
  range.setEnd(endContainer, endOffset);
  const { bottom, height } = range.getBoundingClientRect();
  return height > 0 && bottom >= top;
}
