import { useLayoutEffect, useRef } from 'preact/hooks';
import { Icon } from '../icon';
import { visibleLine } from '../../src/shared/visible';
import { t } from '../strings';
import { iconOf } from './kinds';
import type { Completion } from './use_completion';

/** The popup of the completion. The textarea keeps the focus and names the active offer. */
export function Offers({ id, completion }: { id: string; completion: Completion }) {
  const list = useRef<HTMLUListElement>(null);
  const { offers, active } = completion;
  useLayoutEffect(() => {
    list.current?.children[active]?.scrollIntoView({ block: 'nearest' });
  }, [offers, active]);
  if (offers.length === 0) {
    return null;
  }
  return (
    <ul class="offers" id={id} role="listbox" aria-label={t('Suggestions')} ref={list}>
      {offers.map((offer, index) => (
        <li
          key={offer.key}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === active}
          onPointerDown={(event) => event.preventDefault() /* the textarea keeps the focus */}
          onClick={() => completion.choose(offer)}
        >
          <Icon name={iconOf(offer.kind)} />
          <span class="offer-label">{visibleLine(offer.label)}</span>
          <span class="offer-detail">{visibleLine(offer.detail)}</span>
        </li>
      ))}
    </ul>
  );
}
