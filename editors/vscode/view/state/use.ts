import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { getState, subscribe, type State } from './store';

/** Compares lists of what is never changed. */
export function same(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index]);
}

/**
 * What `select` takes from the state. The component is drawn again only when
 * that is another value: `select` has to return parts of the state as they are,
 * or plain values, and not make new objects, unless `equal` compares them.
 */
export function useStore<T>(select: (state: State) => T, equal: (a: T, b: T) => boolean = Object.is): T {
  const [, redraw] = useState({});
  const now = select(getState());
  const seen = useRef(now);
  const selector = useRef(select);
  selector.current = select;
  if (!equal(seen.current, now)) {
    seen.current = now;
  }
  useLayoutEffect(() => {
    const check = (): void => {
      if (!equal(seen.current, selector.current(getState()))) {
        redraw({});
      }
    };
    check(); // the state may have changed between the drawing and now
    return subscribe(check);
  }, []);
  return seen.current;
}
