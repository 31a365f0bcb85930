import type { Item } from '../../src/shared/view';
import { useStore } from '../state';

export const none: readonly string[] = [];

/** An item of the conversation; undefined once it is gone. */
export function useItem(id: string): Item | undefined {
  return useStore(({ view }) => view.items.get(id));
}

/** The ids below an item. */
export function useBelow(id: string): readonly string[] {
  return useStore(({ view }) => view.below.get(id) ?? none);
}
