import { host, keep, kept, listen } from '../bridge';
import type { Chip, Excluded, StoredDraft, StoredDrafts } from '../../src/shared/messages';
import { getState } from '../state';
import { withChips, type Draft } from './blocks';

/** What is written for a prompt, and what it leaves out. */
export interface Written extends Draft {
  /** Whether what the editor shows goes with it. */
  context: boolean;
  excluded: readonly Excluded[];
}

export const nothing: Written = { text: '', chips: [], context: true, excluded: [] };

/** Chips with more characters, which are pictures, are not in the draft: the extension has each as a file. */
const mostInChip = 256 << 10;
/** The workspace's copy is written when nothing was typed for this long, in ms. */
const pause = 400;

let drafts: StoredDrafts | undefined;
const due = new Set<string>(); // sessions whose drafts the workspace does not have yet
let timer: ReturnType<typeof setTimeout> | undefined;
const keys = new WeakMap<Chip, string>(); // of the chips that the extension has
const coming = new Map<string, Set<string>>(); // the keys of chips that were not fetched yet, by session
let elsewhere: (session: string, at: { typed: boolean }) => void = () => {};

/** The session that the box is for: the empty one begins with the prompt. */
export function shownSession(): string {
  return getState().sessionId ?? '';
}

/** All drafts: those of the workspace, and what this view had last if that is later. */
function all(): StoredDrafts {
  if (!drafts) {
    drafts = { ...getState().drafts };
    const own = kept().prompt as (StoredDraft & { session: string }) | undefined;
    if (own && own.at > (drafts[own.session]?.at ?? 0)) {
      const { session, ...draft } = own;
      drafts[session] = draft;
      due.add(session);
      flushDrafts();
    }
  }
  return drafts;
}

/** Returns the draft of a session. */
export function draftOf(session: string): Written {
  const { text, chips, noContext, excluded = [] } = all()[session] ?? { text: '', chips: [] };
  return { text, chips, context: noContext !== true, excluded };
}

/** Keeps the draft of a session: for this view at once, and for the workspace soon. */
export function storeDraft(session: string, { text, chips, context, excluded }: Written): void {
  const named = [...chips.filter((chip) => !isKept(chip)).map(keyOf), ...(coming.get(session) ?? [])];
  const at = Math.max(Date.now(), (all()[session]?.at ?? 0) + 1);
  const draft: StoredDraft = { text, chips: chips.filter(isKept), at, ...(named.length > 0 && { large: named }), ...(!context && { noContext: true }), ...(excluded.length > 0 && { excluded: [...excluded] }) };
  all()[session] = draft;
  if (session === shownSession()) {
    keep({ ...kept(), prompt: { ...draft, session } });
  }
  due.add(session);
  clearTimeout(timer);
  timer = setTimeout(flushDrafts, pause);
}

/** Writes the workspace's copies now. */
export function flushDrafts(): void {
  clearTimeout(timer);
  for (const session of due) {
    const draft = all()[session];
    if (draft) {
      void host('storePrompt', { session, draft }).catch(() => {}); // this view has it
    }
  }
  due.clear();
}

/** Forgets the draft of a session that was deleted. */
export function forgetDraft(session: string): void {
  due.delete(session);
  coming.delete(session);
  delete all()[session];
  void host('storePrompt', { session }).catch(() => {}); // the oldest drafts are forgotten anyway
}

/** Has the extension keep a large chip, and returns the key for it. */
function keyOf(chip: Chip): string {
  let key = keys.get(chip);
  if (key === undefined) {
    key = crypto.randomUUID();
    keys.set(chip, key);
    void host('keepChip', { key, chip }).catch(() => {}); // this view has it
  }
  return key;
}

/** Fetches the large chips of a session's draft that are not among those that it has, and calls back with them. */
export function fetchLarge(session: string, having: readonly Chip[], fetched: (chips: Chip[]) => void): void {
  const have = new Set(having.map((chip) => keys.get(chip)));
  const missing = (all()[session]?.large ?? []).filter((key) => !have.has(key));
  if (missing.length === 0) {
    return;
  }
  const set = new Set(missing);
  coming.set(session, set);
  host('keptChips', { keys: missing }).then(
    ({ chips }) => {
      if (coming.get(session) !== set) {
        return; // the draft was begun again, or forgotten
      }
      coming.delete(session);
      for (const { key, chip } of chips) {
        keys.set(chip, key);
      }
      fetched(chips.map(({ chip }) => chip));
    },
    () => {}, // they stay where they are
  );
}

/** Reports whether a chip is in the stored draft itself. */
export function isKept({ block }: Chip): boolean {
  const content = 'data' in block ? block.data : block.type === 'resource' ? (block.resource.text ?? block.resource.blob) : '';
  return (content?.length ?? 0) <= mostInChip;
}

/** Calls back when another view has changed a draft; `typed` says that this one has too, at the same time. */
export function onDraftElsewhere(changed: typeof elsewhere): void {
  elsewhere = changed;
}

listen((message) => {
  if (message.type !== 'draft') {
    return;
  }
  const { session, draft } = message;
  if (!draft) {
    delete all()[session];
  } else if (draft.at > (all()[session]?.at ?? 0)) {
    all()[session] = draft;
    elsewhere(session, { typed: due.delete(session) });
  }
});

/** Adds a prompt to the workspace's history. */
export function storeSent(sent: string): void {
  void host('storePrompt', { sent }).catch(() => {}); // the prompt itself is with the server
}

/** Several drafts as one: nothing of any is left out. */
export function together(drafts: readonly Written[]): Written {
  const excluded = new Map(drafts.flatMap((draft) => draft.excluded.map((what) => [JSON.stringify(what), what] as const)));
  return {
    text: drafts.map(({ text }) => text).filter((text) => text !== '').join('\n'),
    chips: drafts.reduce<readonly Chip[]>((chips, draft) => withChips(chips, draft.chips), []),
    context: drafts.every(({ context }) => context),
    excluded: [...excluded.values()],
  };
}
