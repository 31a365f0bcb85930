import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { RefObject } from 'preact';

/** How near to the end counts as the end, in pixels. */
const near = 32;

export interface Following {
  /** Whether the view stays at the end as it grows. */
  following: boolean;
  /** Goes to the end and stays there. */
  toEnd: () => void;
  /** Shows an element. The view stays there if it had to move, even when what is around it turns out shorter or longer. */
  toElement: (element: Element) => void;
}

/**
 * Keeps a scrolled box at its end while its content grows, until the reader
 * scrolls up; from then on it stays where it is until they come back to the end.
 */
export function useFollowing(box: RefObject<HTMLElement | null>, content: RefObject<HTMLElement | null>): Following {
  const [following, setFollowing] = useState(true);
  const follows = useRef(true);
  const top = useRef(0);
  const height = useRef(0);
  const set = (on: boolean): void => {
    follows.current = on;
    setFollowing(on);
  };
  const toEnd = (): void => {
    set(true);
    const element = box.current;
    if (element) {
      element.scrollTop = element.scrollHeight;
    }
  };
  const toElement = (shown: Element): void => {
    const before = box.current?.scrollTop;
    shown.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    if (box.current?.scrollTop !== before) {
      set(false);
    }
  };
  useLayoutEffect(() => {
    const element = box.current!;
    const onScroll = (): void => {
      const { scrollTop, scrollHeight, clientHeight } = element;
      const atEnd = scrollHeight - scrollTop - clientHeight < near;
      // Content that became shorter moves the view up too; only the reader stops the following.
      if (atEnd) {
        set(true);
      } else if (scrollTop < top.current - 1 && scrollHeight >= height.current) {
        set(false);
      }
      top.current = scrollTop;
      height.current = scrollHeight;
    };
    const onWheel = ({ deltaY }: WheelEvent): void => {
      if (deltaY < 0 && element.scrollHeight > element.clientHeight) {
        set(false);
      }
    };
    element.addEventListener('scroll', onScroll, { passive: true });
    element.addEventListener('wheel', onWheel, { passive: true });
    return () => {
      element.removeEventListener('scroll', onScroll);
      element.removeEventListener('wheel', onWheel);
    };
  }, []);
  useEffect(() => {
    const observer = new ResizeObserver(() => {
      const element = box.current;
      if (follows.current && element) {
        element.scrollTop = element.scrollHeight;
      }
    });
    observer.observe(content.current!);
    observer.observe(box.current!);
    return () => observer.disconnect();
  }, []);
  return { following, toEnd, toElement };
}
