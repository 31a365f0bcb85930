import type { Field } from '../../src/shared/view';

/** What the user has chosen and written for one field. */
export interface Entry {
  /** Values of choices. */
  chosen: string[];
  /** Whether `text` is part of the answer to a choice. */
  other: boolean;
  text: string;
}

/** By the ids of fields. */
export type Entries = Readonly<Record<string, Entry>>;

/** The entry that a field begins with. */
export function start({ choices = [], many, other, values = [] }: Field): Entry {
  if (choices.length === 0) {
    return { chosen: [], other: false, text: values[0] ?? '' };
  }
  const known = values.filter((value) => choices.some((choice) => choice.value === value));
  const own = other ? values.filter((value) => !known.includes(value)).join(', ') : '';
  return { chosen: many ? known : known.slice(0, 1), other: own !== '', text: own };
}

/** Chooses a value, or takes back the choice of one of several. */
export function choose({ many }: Field, entry: Entry, value: string): Entry {
  if (!many) {
    return { ...entry, chosen: [value], other: false };
  }
  const chosen = entry.chosen.includes(value) ? entry.chosen.filter((other) => other !== value) : [...entry.chosen, value];
  return { ...entry, chosen };
}

/** Switches to the user's own text, or for one of several, adds and removes it. */
export function chooseOther({ many }: Field, entry: Entry, on: boolean): Entry {
  return { ...entry, other: on, chosen: many ? entry.chosen : [] };
}

/** The values of an answer, in the order of the choices. A text of one's own that is empty is one too: the server says that it is missing. */
export function values({ choices = [] }: Field, { chosen, other, text }: Entry): string[] {
  if (choices.length === 0) {
    return text.trim() === '' ? [] : [text];
  }
  const known = choices.filter(({ value }) => chosen.includes(value)).map(({ value }) => value);
  return other ? [...known, text.trim()] : known;
}
