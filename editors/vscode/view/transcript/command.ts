import { visible } from '../../src/shared/visible';
import type { ToolCall } from '../../src/shared/wire';

/** A command of this length fits into the title of its card. */
const short = 60;

/**
 * Returns the whole command of a call, with hidden characters spelled out, if its
 * title cannot show all of it: titles are one line that the server has cut.
 */
export function wholeCommand({ kind, title = '', rawInput }: ToolCall): string | undefined {
  if (kind !== 'execute') {
    return undefined;
  }
  const { command } = (rawInput ?? {}) as { command?: unknown };
  const whole = visible(typeof command === 'string' ? command : title);
  return whole.length > short || whole.includes('\n') ? whole : undefined;
}
