/** Numbers for people, as the language of VS Code writes them. */
import { language, t } from '../strings';

/** A number of tokens, short: `12.3K`, `1M`. */
export function tokens(count: number): string {
  return new Intl.NumberFormat(language(), { notation: 'compact', maximumFractionDigits: 1 }).format(count);
}

/** A number in full. */
export function exact(count: number): string {
  return new Intl.NumberFormat(language()).format(count);
}

/** The smallest amount that is shown as a number. */
const least = 0.0001;

/** An amount of money: with cents, and below one with up to four digits. The currency is an ISO 4217 code. */
export function money(amount: number, currency: string): string {
  const shown = amount > 0 && amount < least ? least : amount;
  const style = { style: 'currency', currency, minimumFractionDigits: 2, maximumFractionDigits: shown < 1 ? 4 : 2 } as const;
  const text = new Intl.NumberFormat(language(), style).format(shown);
  return shown === amount ? text : `< ${text}`;
}

/** A time in milliseconds: `0.4 s`, `12 s`, `3 min 5 s`. */
export function duration(ms: number): string {
  if (ms < 10_000) {
    return t('{0} s', (ms / 1000).toFixed(1));
  }
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) {
    return t('{0} s', seconds);
  }
  return t('{0} min {1} s', Math.floor(seconds / 60), seconds % 60);
}
