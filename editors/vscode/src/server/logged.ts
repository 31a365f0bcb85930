/** A line of the server's log without its time, and its level. */
export interface Logged {
  level: 'debug' | 'info' | 'warn' | 'error';
  text: string;
}

const levels: Record<string, Logged['level']> = { DEBUG: 'debug', INFO: 'info', WARN: 'warn', ERROR: 'error' };

/**
 * Reads a line that the server wrote to standard error. A line in another form,
 * such as one of a crash, is a warning.
 */
export function readLine(line: string): Logged {
  const record = /^(?:time=\S+ )?level=([A-Z]+)(?:[+-]\d+)? (.*)$/s.exec(line);
  const level = levels[record?.[1] ?? ''];
  if (!record || !level) {
    return { level: 'warn', text: line };
  }
  return { level, text: record[2]!.replace(/^msg=(?:"((?:[^"\\]|\\.)*)"|(\S+))/, (_, quoted?: string, plain?: string) => plain ?? unquote(quoted!)) };
}

function unquote(text: string): string {
  return text.replace(/\\(["\\])/g, '$1');
}

/** Cuts what a stream brings into lines; `end` takes what is left. */
export class Lines {
  private rest = '';

  constructor(private readonly take: (line: string) => void) {}

  add(text: string): void {
    const lines = (this.rest + text).split(/\r?\n/);
    this.rest = lines.pop()!;
    lines.filter((line) => line !== '').forEach(this.take);
  }

  end(): void {
    this.add('\n');
  }
}
