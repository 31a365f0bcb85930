import type { RefObject } from 'preact';
import { useCallback, useLayoutEffect, useRef } from 'preact/hooks';
import { Guard } from './guard';

/**
 * Watches where the answers of a card are. The function that it returns reports
 * whether an answer that is given now was meant for them.
 */
export function useGuard(answers: RefObject<HTMLElement | null>): () => boolean {
  const guard = useRef<Guard>(null);
  guard.current ??= new Guard(() => performance.now());
  const look = useCallback((): void => {
    if (answers.current) {
      guard.current!.moved(answers.current.getBoundingClientRect());
    }
  }, []);
  useLayoutEffect(look); // whatever was drawn may have moved them
  useLayoutEffect(() => {
    const sizes = new ResizeObserver(look);
    for (let element: HTMLElement | null = answers.current; element; element = element.parentElement) {
      sizes.observe(element);
    }
    window.addEventListener('scroll', look, true);
    return () => {
      sizes.disconnect();
      window.removeEventListener('scroll', look, true);
    };
  }, []);
  return () => answers.current !== null && guard.current!.ready(answers.current.getBoundingClientRect());
}

/** Reports whether an element is in view from its top to its bottom, with nothing over it. */
export function isInView(element: HTMLElement): boolean {
  const { left, top, bottom, width } = element.getBoundingClientRect();
  return [top + 1, bottom - 1].every((y) => element.contains(document.elementFromPoint(left + width / 2, y)));
}
