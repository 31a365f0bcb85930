import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Icon } from '../icon';
import { useStore } from '../state';

interface Props {
  class?: string;
  /** What is always seen; a click on it opens and closes. */
  head: ComponentChildren;
  /** Whether it is open as long as the user has not decided. */
  open: boolean;
  /** What is folded, drawn when it is needed first. */
  children: () => ComponentChildren;
}

/** Something that can be folded. The user's decision holds; finding in the conversation opens it. */
export function Fold({ class: name = '', head, open: suggested, children }: Props) {
  const [decided, decide] = useState<boolean>();
  const open = decided ?? suggested;
  const finding = useStore((state) => state.finding); // what is folded is drawn too, to be found
  const drawn = useRef(false);
  drawn.current ||= open || finding;
  const body = useRef<HTMLDivElement>(null);
  const id = useId();
  useEffect(() => {
    const element = body.current;
    const reveal = (): void => decide(true);
    element?.addEventListener('reveal', reveal);
    return () => element?.removeEventListener('reveal', reveal);
  }, []);
  return (
    <div class={`fold ${name}`}>
      <button type="button" class="fold-head" aria-expanded={open} aria-controls={id} onClick={() => decide(!open)}>
        <Icon name={open ? 'chevron-down' : 'chevron-right'} />
        {head}
      </button>
      <div id={id} class="fold-body" hidden={!open} ref={body}>
        {drawn.current && children()}
      </div>
    </div>
  );
}

/** Opens every fold around an element. */
export function reveal(element: Element | null): void {
  for (let fold = element?.closest('.fold-body[hidden]'); fold; fold = fold.parentElement?.closest('.fold-body[hidden]')) {
    fold.dispatchEvent(new CustomEvent('reveal'));
  }
}
