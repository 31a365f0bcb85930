/**
 * A view as the server has told it. Changes make a value that goes on with the maps of the
 * one before, so that they cost as much as they touch, whatever else there is. An item, a
 * question, a hunk and a list of ids is replaced, and never changed itself.
 */
import type { Action, Change, HunkView, Item, Part, Question, View } from './view';
import type { SessionInfo } from './wire';

export interface Fold {
  readonly version: number;
  readonly session?: SessionInfo;
  readonly status?: Item;
  readonly items: ReadonlyMap<string, Item>;
  /** The ids below an item in the order of the screen; below the empty one those at the top. */
  readonly below: ReadonlyMap<string, readonly string[]>;
  /** Whether there are items before the first. */
  readonly earlier: boolean;
  /** In the order in which they are asked. */
  readonly questions: readonly Question[];
  readonly hunks: ReadonlyMap<string, HunkView>;
  /** The actions that are named by their ids alone. */
  readonly verbs: ReadonlyMap<string, Action>;
}

/** What a view is before the server has told anything. */
export const emptyFold: Fold = {
  version: 0,
  items: new Map(),
  below: new Map(),
  earlier: false,
  questions: [],
  hunks: new Map(),
  verbs: new Map(),
};

/** Returns the fold of what the server answered emendo/view/get with. */
export function fold({ version, session, status, items, earlier, questions, hunks = [], verbs }: View): Fold {
  const known = new Map<string, Item>();
  const below = new Map<string, string[]>();
  for (const item of items) {
    known.set(item.id, item);
    const siblings = below.get(item.parent ?? '');
    if (siblings) {
      siblings.push(item.id);
    } else {
      below.set(item.parent ?? '', [item.id]);
    }
  }
  return {
    version,
    ...(session && { session }),
    ...(status && { status }),
    items: known,
    below,
    earlier: earlier ?? false,
    questions,
    hunks: new Map(hunks.map((hunk) => [hunk.id, hunk])),
    verbs: new Map(verbs.map((verb) => [verb.id, verb])),
  };
}

/** Returns a view as the server would answer with it: the fold of that is this one. */
export function unfold(view: Fold): View {
  const { version, session, status, earlier, questions, hunks, verbs } = view;
  return {
    version,
    ...(session && { session }),
    ...(status && { status }),
    items: [...ordered(view)],
    ...(earlier && { earlier }),
    questions: [...questions],
    hunks: [...hunks.values()],
    verbs: [...verbs.values()],
  };
}

/** Begins another value of a view: what of it may be changed. The ids below a parent are copied once. */
function begin(view: Fold) {
  const next: { -readonly [K in keyof Fold]: Fold[K] } = view === emptyFold ? fold(unfold(view)) : { ...view };
  const below = next.below as Map<string, readonly string[]>;
  const own = new Set<readonly string[]>();
  const ids = (parent = ''): string[] => {
    const known = below.get(parent);
    const ids = known && own.has(known) ? (known as string[]) : [...(known ?? [])];
    own.add(ids);
    below.set(parent, ids);
    return ids;
  };
  return { next, items: next.items as Map<string, Item>, hunks: next.hunks as Map<string, HunkView>, below, ids };
}

/** Adds the page before the first item of a view. What is known already is as new. */
export function withEarlier(view: Fold, page: View): Fold {
  const { next, items, ids } = begin(view);
  const added = new Map<string, string[]>();
  for (const item of page.items) {
    if (!items.has(item.id)) {
      const parent = item.parent ?? '';
      added.set(parent, added.get(parent) ?? []);
      added.get(parent)!.push(item.id);
      items.set(item.id, item);
    }
  }
  for (const [parent, before] of added) {
    ids(parent).unshift(...before);
  }
  next.earlier = page.earlier ?? false;
  return next;
}

/** Applies what the server says has changed, as one. */
export function apply(view: Fold, version: number, changes: readonly Change[]): Fold {
  const { next, items, hunks, below, ids } = begin(view);
  next.version = version;

  const put = (item: Item, after: string | null | undefined): void => {
    const before = items.get(item.id);
    items.set(item.id, !item.parts && before?.parts ? { ...item, parts: before.parts } : item);
    const moves = before && (before.parent !== item.parent || after !== undefined);
    if (moves) {
      leave(before);
    }
    if (!before || moves) {
      insert(ids(item.parent), item.id, after);
    }
  };
  const leave = ({ id, parent }: Item): void => {
    const siblings = ids(parent);
    siblings.splice(siblings.lastIndexOf(id), 1); // most changes are near the end
  };
  const drop = (id: string): void => {
    const item = items.get(id);
    if (item) {
      leave(item);
      gone(id);
    } else if (!hunks.delete(id)) {
      next.questions = next.questions.filter((question) => question.id !== id);
    }
  };
  const gone = (id: string): void => {
    below.get(id)?.forEach(gone);
    items.delete(id);
    below.delete(id);
  };

  for (const change of changes) {
    if ('item' in change) {
      put(change.item, change.after);
    } else if ('append' in change) {
      const item = items.get(change.append);
      if (item) {
        const at = change.part ?? 0;
        const parts = (item.parts ?? []).map((part, index) => (index === at ? grown(part, change.text, change.omitted ?? 0) : part));
        items.set(item.id, { ...item, parts });
      }
    } else if ('question' in change) {
      const { question, after } = change;
      const known = next.questions.findIndex(({ id }) => id === question.id);
      if (known >= 0 && after === undefined) {
        next.questions = next.questions.with(known, question);
      } else {
        const others = next.questions.filter(({ id }) => id !== question.id);
        const order = others.map(({ id }) => id);
        insert(order, question.id, after);
        next.questions = others.toSpliced(order.indexOf(question.id), 0, question);
      }
    } else if ('hunk' in change) {
      hunks.set(change.hunk.id, change.hunk);
    } else if ('move' in change) {
      for (const hunk of hunks.values()) {
        if (items.get(hunk.fileId)?.place?.uri === change.move) {
          hunks.set(hunk.id, moved(hunk, change.version, change.lines));
        }
      }
    } else if ('status' in change) {
      next.status = change.status;
    } else if ('session' in change) {
      next.session = change.session;
    } else {
      change.drop.forEach(drop);
    }
  }
  return next;
}

/** Puts an id behind another: null puts it first, undefined and what is not there last. */
function insert(ids: string[], id: string, after: string | null | undefined): void {
  const at = after === null ? 0 : after === undefined ? ids.length : ids.lastIndexOf(after) + 1 || ids.length;
  ids.splice(at, 0, id);
}

/** Returns a part with more text, of which the beginning is cut so that `omitted` characters are. */
function grown(part: Part, added: string, omitted: number): Part {
  const text = (part.text ?? '') + added;
  const whole = (part.omitted ?? 0) + text.length;
  const { omitted: _, ...rest } = part;
  return { ...rest, text: text.slice(Math.max(0, text.length - (whole - omitted))), ...(omitted > 0 && { omitted }) };
}

/** Returns a hunk after lines came or went above it. Each number of lines counts from before all of them. */
function moved(hunk: HunkView, version: number | undefined, lines: readonly [from: number, by: number][]): HunkView {
  const { start, end } = hunk.range;
  const by = lines.reduce((sum, [from, more]) => (start.line >= from ? sum + more : sum), 0);
  const range = { start: { ...start, line: start.line + by }, end: { ...end, line: end.line + by } };
  return { ...hunk, range, ...(version !== undefined && { version }) };
}

/** Returns all items below one in the order of the screen; of the whole view without one. */
export function* ordered(view: Fold, parent = ''): Generator<Item> {
  for (const id of view.below.get(parent) ?? []) {
    yield view.items.get(id)!;
    yield* ordered(view, id);
  }
}

/** Returns an action as it is, where only its id is known too; undefined if there is none. */
export function named(view: Pick<Fold, 'verbs'>, action: Action | string): Action | undefined {
  return typeof action === 'string' ? view.verbs.get(action) : action;
}

/** Returns an action of an item, a question or a hunk. */
export function actionOf(view: Fold, id: string, actionId: string): Action | undefined {
  const item = view.status?.id === id ? view.status : view.items.get(id);
  const question = view.questions.find((question) => question.id === id);
  const all = [...(item?.actions ?? []), ...(item?.lines ?? []).flatMap(({ action }) => action ?? []), ...(question?.options ?? []), ...(view.hunks.get(id)?.actions ?? [])];
  return all.flatMap((action) => named(view, action) ?? []).find((action) => action.id === actionId);
}
