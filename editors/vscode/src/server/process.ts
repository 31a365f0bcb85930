import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import type { LogOutputChannel } from 'vscode';
import type { Program } from './connection';
import { Lines, readLine } from './logged';
import { filled, words } from '../shared/words';

/** How long a process gets to end by itself after it was told to, in milliseconds. */
const patience = 2000;

/** A running server process. */
export class ServerProcess {
  /** Resolves when the process has ended, with how, and what it said last. */
  readonly ended: Promise<string>;
  private alive = true;
  private said = '';

  private constructor(
    readonly child: ChildProcessWithoutNullStreams,
    log: Pick<LogOutputChannel, 'debug' | 'info' | 'warn' | 'error'>,
  ) {
    const lines = new Lines((line) => {
      const { level, text } = readLine(line);
      log[level](text);
      this.said = text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => lines.add(text));
    child.stdin.on('error', () => {}); // the process has ended, which is told by itself
    this.ended = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        this.alive = false;
        // What it wrote last may come after its end, unless a child of its holds the stream.
        const tell = (): void => {
          lines.end();
          resolve(how(code, signal, this.said));
        };
        const timer = setTimeout(tell, 200);
        child.stderr.once('close', () => {
          clearTimeout(timer);
          tell();
        });
      });
    });
  }

  /** Starts a program. It rejects with the system's error when it cannot be started. */
  static start({ command, args, env, cwd }: Program, log: LogOutputChannel): Promise<ServerProcess> {
    return new Promise((resolve, reject) => {
      const child = spawn(command, args, { env, cwd, stdio: 'pipe', windowsHide: true });
      child.once('error', reject);
      child.once('spawn', () => resolve(new ServerProcess(child, log)));
    });
  }

  /** Waits for the end of a process that was told to end, and kills it if that takes too long. */
  async finish(): Promise<void> {
    if (!this.alive) {
      return;
    }
    const timer = setTimeout(() => this.child.kill('SIGKILL'), patience);
    await this.ended;
    clearTimeout(timer);
  }

  /** Kills the process. */
  kill(): void {
    this.child.kill('SIGKILL');
  }
}

function how(code: number | null, signal: NodeJS.Signals | null, said: string): string {
  const how = signal ? filled(words.endedBy, signal) : filled(words.endedWith, code ?? '');
  return said ? `${how}: ${said}` : `${how}.`;
}
