import type { RefObject } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { IconButton } from '../icon';
import { t, words } from '../strings';
import { reveal } from './fold';
import { getState, loadUpTo } from '../state';
import { nearest, type Start } from './matches';
import { most, useMatches, type Found, type Place } from './use_matches';

interface Props {
  content: RefObject<HTMLElement | null>;
  show: (element: Element) => void;
  onClose: () => void;
}

/**
 * Finds text in the conversation: a view has no find of its own. Matches are
 * counted in all of it, and marked without changing the page; what is folded
 * around the current one is opened, and what has not come is brought.
 */
export function Find({ content, show, onClose }: Props) {
  const [query, setQuery] = useState('');
  const [chosen, choose] = useState<Place>();
  const field = useRef<HTMLInputElement>(null);
  const found = useMatches(content, query);
  const { ids, ranges } = found;
  const total = ids.length + ranges.length;
  const place = chosen?.query === found.query ? chosen : found.first;
  const last = useRef(0);
  const index = useMemo(() => indexOf(found, place, last.current), [found, place]);
  last.current = index;
  const wentTo = useRef<Place>(undefined);
  useEffect(() => {
    field.current?.focus();
    const selected = document.getSelection()?.toString() ?? '';
    if (selected !== '' && !selected.includes('\n')) {
      setQuery(selected);
    }
    return () => {
      CSS.highlights.delete('find');
      CSS.highlights.delete('find-current');
    };
  }, []);
  useEffect(() => void CSS.highlights.set('find', new Highlight(...ranges)), [ranges]);
  useEffect(() => {
    const range = ranges[index - ids.length];
    CSS.highlights.set('find-current', range ? new Highlight(range) : new Highlight());
    if (typeof place.at === 'string' && !getState().view.items.has(place.at)) {
      void loadUpTo(place.at); // once it is drawn, this is looked at again
    } else if (range && wentTo.current !== place) {
      wentTo.current = place; // from here on the reader may scroll, while the page changes
      const element = range.startContainer.parentElement;
      reveal(element);
      requestAnimationFrame(() => element && show(element));
    }
  }, [found, index, place]);
  const move = (by: number): void => {
    if (total > 0) {
      const to = (index + by + total) % total;
      choose({ query: found.query, at: ids[to] ?? ranges[to - ids.length] });
    }
  };
  const shown = ranges.length >= most ? `${total}+` : String(total);
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
        {found.query === '' ? '' : total === 0 ? t(words.noResults) : t('{0} of {1}', index + 1, shown)}
      </span>
      <IconButton icon="arrow-up" title={t(words.previousMatch)} onClick={() => move(-1)} />
      <IconButton icon="arrow-down" title={t(words.nextMatch)} onClick={() => move(1)} />
      <IconButton icon="close" title={t('Close (Escape)')} onClick={onClose} />
    </div>
  );
}

/** Returns which of the matches is at a place, or was there: what was drawn may be drawn again. */
function indexOf({ ids, ranges }: Found, { at }: Place, last: number): number {
  if (typeof at === 'string' && ids.includes(at)) {
    return ids.indexOf(at);
  }
  const node = typeof at === 'string' ? elementOf(at) : at?.startContainer;
  if (!node?.isConnected) {
    return Math.max(0, Math.min(last, ids.length + ranges.length - 1));
  }
  const starts = ranges.map(({ startContainer, startOffset }): Start<Node> => ({ node: startContainer, offset: startOffset }));
  const offset = typeof at === 'object' ? at.startOffset : 0;
  return ids.length + nearest(starts, { node, offset }, (node, before) => (before.compareDocumentPosition(node) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0);
}

/** The element of an item, or of what it is below. */
function elementOf(id: string): Element | undefined {
  const parent = getState().view.items.get(id)?.parent;
  const name = CSS.escape(id);
  return document.querySelector(`[data-item="${name}"], [data-turn="${name}"]`) ?? (parent === undefined ? undefined : elementOf(parent));
}
