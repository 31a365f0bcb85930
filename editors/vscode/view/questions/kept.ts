import { useEffect, useState } from 'preact/hooks';
import { keep, kept } from '../bridge';
import { withDraft, type Draft, type Drafts } from './drafts';

const part = 'answers';

let drafts: Drafts = (kept()[part] as Drafts | undefined) ?? {};
const listeners = new Set<() => void>();

/** The drafts that outlive the page. */
export function getDrafts(): Drafts {
  return drafts;
}

/** Keeps a draft, or without one forgets it. */
export function setDraft(key: string, draft: Draft | undefined): void {
  drafts = withDraft(drafts, key, draft);
  keep({ ...kept(), [part]: drafts });
  for (const listener of [...listeners]) {
    listener();
  }
}

/** The drafts, drawn again when they change. */
export function useDrafts(): Drafts {
  const [, redraw] = useState({});
  useEffect(() => {
    const listener = (): void => redraw({});
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, []);
  return drafts;
}
