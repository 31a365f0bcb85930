import type { Question } from '../../src/shared/wire';
import { t } from '../strings';

/** What the user has chosen and written for one question. */
export interface Entry {
  /** Values of options; `yes` or `no`. */
  chosen: string[];
  /** Whether `text` is part of the answer to a choice. */
  other: boolean;
  text: string;
}

export interface Option {
  value: string;
  label: string;
  description: string;
}

/** The options of a question; none where the answer is written. */
export function options({ type, options = [] }: Question): Option[] {
  switch (type) {
    case 'choice':
      return options.map(({ label, description = '', value = label }) => ({ value, label, description }));
    case 'yesno':
      return [
        { value: 'yes', label: t('Yes'), description: '' },
        { value: 'no', label: t('No'), description: '' },
      ];
    default:
      return [];
  }
}

/** Reports whether a text of the user's own answers the question too. */
export function takesOther({ type, options = [] }: Question): boolean {
  return type === 'choice' && options.every(({ value }) => value === undefined);
}

/** The entry that a question begins with. */
export function start(question: Question): Entry {
  const given = [question.default ?? []].flat().filter((value) => value !== '');
  const offered = options(question);
  if (offered.length === 0) {
    return { chosen: [], other: false, text: given[0] ?? '' };
  }
  const known = given.filter((value) => offered.some((option) => option.value === value));
  const own = takesOther(question) ? given.filter((value) => !known.includes(value)).join(', ') : '';
  return { chosen: question.multiSelect ? known : known.slice(0, 1), other: own !== '', text: own };
}

/** Reports whether a question begins with an answer. */
export function hasDefault(question: Question): boolean {
  const { chosen, text } = start(question);
  return chosen.length > 0 || text !== '';
}

/** Says which answers are within the bounds of a question; empty if it has none. */
export function bounds(question: Question): string {
  const [least, most] = limits(question);
  if (least === undefined && most === undefined) {
    return '';
  }
  switch (question.type) {
    case 'number':
    case 'integer':
      return range(least, most, { both: t('From {0} to {1}', least ?? 0, most ?? 0), least: t('At least {0}', least ?? 0), most: t('At most {0}', most ?? 0) });
    case 'choice':
      return range(least, most, {
        both: t('Choose {0} to {1}', least ?? 0, most ?? 0),
        least: t('Choose at least {0}', least ?? 0),
        most: t('Choose at most {0}', most ?? 0),
      });
    default:
      return range(least, most, {
        both: t('{0} to {1} characters', least ?? 0, most ?? 0),
        least: t('At least {0} characters', least ?? 0),
        most: t('At most {0} characters', most ?? 0),
      });
  }
}

function range(least: number | undefined, most: number | undefined, texts: { both: string; least: string; most: string }): string {
  return least === undefined ? texts.most : most === undefined ? texts.least : texts.both;
}

/** The bounds that count for the type of a question. A lower one of none is no bound for texts and choices. */
function limits({ type, multiSelect, minimum, maximum, minLength = 0, maxLength, minItems = 0, maxItems }: Question): [least: number | undefined, most: number | undefined] {
  switch (type) {
    case 'number':
    case 'integer':
      return [minimum, maximum];
    case 'text':
    case 'url':
      return [minLength || undefined, maxLength];
    case 'choice':
      return multiSelect ? [minItems || undefined, maxItems] : [undefined, undefined];
    case 'yesno':
      return [undefined, undefined];
  }
}

/** Chooses an option, or takes back the choice of one of several. */
export function choose(question: Question, entry: Entry, value: string): Entry {
  if (!question.multiSelect) {
    return { ...entry, chosen: [value], other: false };
  }
  const chosen = entry.chosen.includes(value) ? entry.chosen.filter((other) => other !== value) : [...entry.chosen, value];
  return { ...entry, chosen };
}

/** Switches to the user's own text, or for one of several, adds and removes it. */
export function chooseOther(question: Question, entry: Entry, on: boolean): Entry {
  return { ...entry, other: on, chosen: question.multiSelect ? entry.chosen : [] };
}

/** The values of an answer, in the order of the options. */
export function values(question: Question, entry: Entry): string[] {
  const offered = options(question);
  const text = question.type === 'text' ? entry.text : entry.text.trim();
  const written = text.trim() === '' ? [] : [text];
  if (offered.length === 0) {
    return written;
  }
  const chosen = offered.filter(({ value }) => entry.chosen.includes(value)).map(({ value }) => value);
  return entry.other ? [...chosen, ...written] : chosen;
}

/** Says what is wrong with an entry and how it would be right; undefined for one that is. */
export function problem(question: Question, entry: Entry): string | undefined {
  const given = values(question, entry);
  const [value] = given;
  if (value === undefined) {
    if (entry.other) {
      return t('Write your own answer, or choose another one.');
    }
    return question.required ? t('An answer is required.') : undefined;
  }
  return malformed(question, value) ?? outside(question, given);
}

/** Says by how much an answer is out of bounds. */
function outside(question: Question, given: string[]): string | undefined {
  const [value = ''] = given;
  const [least = -Infinity, most = Infinity] = limits(question);
  const measured = question.type === 'choice' ? given.length : question.type === 'number' || question.type === 'integer' ? Number(value) : [...value].length;
  if (measured >= least && measured <= most) {
    return undefined;
  }
  return question.type === 'text' || question.type === 'url' ? t('{0}: these are {1}.', bounds(question), measured) : `${bounds(question)}.`;
}

function malformed(question: Question, value: string): string | undefined {
  switch (question.type) {
    case 'number':
      return isNumber(value) ? undefined : t('Write a number, such as 12 or 3.5.');
    case 'integer':
      return isInteger(value) ? undefined : t('Write a whole number, such as 12.');
    case 'url':
      return isUrl(value) ? undefined : t('Write a web address that begins with https:// or http://.');
    case 'text':
      return badFormat(question.format, value.trim());
    case 'choice':
    case 'yesno':
      return undefined;
  }
}

function isNumber(value: string): boolean {
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(value) && Number.isFinite(Number(value));
}

function isInteger(value: string): boolean {
  return /^[+-]?\d+$/.test(value) && Number.isSafeInteger(Number(value));
}

function isUrl(value: string): boolean {
  return URL.canParse(value) && ['https:', 'http:'].includes(new URL(value).protocol) && !/\s/.test(value);
}

/** The formats that JSON Schema has for a form's text. Others are taken as they are. */
function badFormat(format: string | undefined, value: string): string | undefined {
  switch (format) {
    case 'email':
      return /^[^\s@]+@[^\s@]+\.[^\s@.]+$/.test(value) ? undefined : t('Write an e-mail address, such as name@example.org.');
    case 'uri':
      return URL.canParse(value) ? undefined : t('Write a whole address, such as https://example.org/page.');
    case 'date':
      return isDate(value) ? undefined : t('Write a date as year-month-day, such as 2026-01-31.');
    case 'date-time':
      return isTime(value) ? undefined : t('Write a date and a time, such as 2026-01-31T14:30:00Z.');
    default:
      return undefined;
  }
}

function isDate(value: string): boolean {
  const at = new Date(`${value}T00:00:00Z`);
  return /^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(at.getTime()) && at.toISOString().startsWith(value);
}

function isTime(value: string): boolean {
  const match = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/.exec(value);
  return match !== null && isDate(match[1]!) && !Number.isNaN(Date.parse(value));
}
