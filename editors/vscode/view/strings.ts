import { filled } from '../src/shared/words';

export { words } from '../src/shared/words';

let strings: Record<string, string> = {};
let locale = 'en';

/** Sets the language of VS Code and the translations that come with `init`: English text to the user's. */
export function setStrings(language: string, translations: Record<string, string>): void {
  locale = language;
  strings = translations;
}

/** The language in which numbers and dates are written, as a BCP 47 tag. */
export function language(): string {
  return locale;
}

/** The translation of a text of the server's, by its code. */
export function translation(code: string): string | undefined {
  return strings[code];
}

/** Translates a text, and puts values in place of `{0}`, `{1}` and so on. */
export function t(text: string, ...values: (string | number)[]): string {
  return filled(strings[text] ?? text, ...values);
}
