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
