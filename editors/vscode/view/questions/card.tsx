import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { isInView, useGuard } from './guarded';
import { Icon } from '../icon';
import { ask } from '../state';
import { t, words } from '../strings';

/** Runs an answer if it was meant for the card. */
export type Guarded = (give: () => void) => void;

interface Props {
  /** Is unique among the cards. */
  id: string;
  icon: string;
  title: string;
  /** What it is for, where it is not for the conversation. */
  aside: string | undefined;
  /** Answers by their place: key 1 is the first. */
  keys: readonly (() => void)[];
  /** What is asked, which scrolls if it is long. */
  children: ComponentChildren;
  /** The answers, which are always below it, and whose place is watched. */
  answers: (guarded: Guarded) => ComponentChildren;
}

/**
 * A question. The card itself is the first place of the focus, where digits
 * answer and Enter does nothing.
 */
export function Card({ id, icon, title, aside, keys, children, answers }: Props) {
  const card = useRef<HTMLElement>(null);
  const row = useRef<HTMLDivElement>(null);
  const ready = useGuard(row);
  useHandOver(card);
  const guarded: Guarded = (give) => ready() && give();
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.defaultPrevented || event.repeat || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    if (event.key === 'Escape') {
      event.preventDefault();
      ask({ type: 'do', what: 'focusPrompt' });
    } else if (!isField(event.target) && /^[1-9]$/.test(event.key)) {
      const give = keys[Number(event.key) - 1];
      const button = row.current!.querySelector<HTMLElement>(`[aria-keyshortcuts="${event.key}"]`);
      if (give && button) {
        event.preventDefault();
        if (isInView(button)) {
          guarded(give);
        } else {
          button.scrollIntoView({ block: 'nearest' }); // the next one counts, when it has been seen
        }
      }
    }
  };
  return (
    <section ref={card} class="question" data-question={id} role="group" aria-labelledby={`question-${id}`} tabIndex={0} onKeyDown={onKeyDown}>
      <h3 id={`question-${id}`} class="question-title">
        <Icon name={icon} />
        <span>{title}</span>
      </h3>
      {aside !== undefined && <p class="question-small">{aside}</p>}
      <div class="question-asked" tabIndex={0} role="region" aria-label={t(words.whatIsAsked)}>
        {children}
      </div>
      <div ref={row} class="question-answers">
        {answers(guarded)}
      </div>
    </section>
  );
}

/** Hands the focus on when a card goes that has it: to the next card, or to the prompt. */
function useHandOver(card: { current: HTMLElement | null }): void {
  useLayoutEffect(() => {
    const element = card.current!;
    return () => {
      if (element.contains(document.activeElement)) {
        // The element is still there; what replaces it is drawn by then.
        queueMicrotask(() => focusCard() || ask({ type: 'do', what: 'focusPrompt' }));
      }
    };
  }, []);
}

/** Puts the focus on the first card, if there is one. */
export function focusCard(): boolean {
  const first = document.querySelector<HTMLElement>('.question');
  first?.focus({ preventScroll: true });
  first?.scrollIntoView({ block: 'nearest' });
  first?.querySelector('.question-answers')?.scrollIntoView({ block: 'nearest' });
  return first !== null;
}

/** Reports whether keys go into a field, where digits are text. */
function isField(target: EventTarget | null): boolean {
  return target instanceof HTMLTextAreaElement || (target instanceof HTMLInputElement && !['radio', 'checkbox', 'button'].includes(target.type));
}

interface AnswerProps {
  /** The key that does the same. */
  number?: number;
  icon?: string;
  label: string;
  /** What it means, below the label. */
  detail?: string;
  /** What it means, for an answer that says enough by itself. */
  title?: string;
  onClick: () => void;
}

/** A button of a card. */
export function Answer({ number, icon, label, detail, title, onClick }: AnswerProps) {
  return (
    <button type="button" class="question-answer" title={title} aria-keyshortcuts={number === undefined ? undefined : String(number)} onClick={onClick}>
      {number !== undefined && number <= 9 && <kbd aria-hidden="true">{number}</kbd>}
      {icon !== undefined && <Icon name={icon} />}
      <span class="question-label">
        {label}
        {detail !== undefined && detail !== '' && <small>{detail}</small>}
      </span>
    </button>
  );
}
