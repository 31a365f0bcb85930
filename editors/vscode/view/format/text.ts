import type { Text } from '../../src/shared/view';
import { translation } from '../strings';
import { duration, exact, tokens } from './numbers';

const forms: Record<string, (n: number) => string> = { ms: duration, tokens };

/** A text of the server's: translated by its code where there is a translation, else as it is. */
export function text({ text, code, args = {} }: Text): string {
  const translated = code === undefined ? undefined : translation(code);
  if (translated === undefined) {
    return text;
  }
  const [one = '', many = one] = translated.split('|');
  return (args['n'] === 1 ? one : many).replace(/\{(\w+)(?::(\w+))?\}/g, (hole, name: string, form: string | undefined) => {
    const value = args[name];
    return typeof value === 'number' ? (forms[form ?? ''] ?? exact)(value) : (value ?? hole);
  });
}

/** The same where there is little room. */
export function shortText(of: Text): string {
  return of.short ?? text(of);
}
