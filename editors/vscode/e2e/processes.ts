/** Programs started by a test, each in its own process group, which ends with it. */
import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';

const running = new Set<Process>();
process.on('exit', () => {
  for (const each of running) {
    each.kill();
  }
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => process.exit(1));
}

/** A program that runs until it is stopped. */
export class Process {
  /** Its output so far. */
  output = '';
  private readonly child: ChildProcess;
  private readonly ended: Promise<void>;
  private readonly readers: ((line: string) => void)[] = [];

  private readonly command: string;

  constructor(command: string, args: string[], env: NodeJS.ProcessEnv) {
    this.command = command;
    this.child = spawn(command, args, { env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
    running.add(this);
    this.ended = new Promise((resolve) => {
      const done = (why: string): void => {
        this.output += `${why}\n`;
        running.delete(this);
        resolve();
      };
      this.child.on('error', (error) => done(String(error)));
      this.child.on('exit', (code, signal) => done(`ended with ${signal ?? code}`));
    });
    for (const stream of [this.child.stdout!, this.child.stderr!]) {
      createInterface(stream).on('line', (line) => {
        this.output += `${line}\n`;
        this.readers.forEach((read) => read(line));
      });
    }
  }

  /** Returns the first match in a line of future output. It rejects if the program ends first. */
  async waitForOutput(pattern: RegExp): Promise<RegExpExecArray> {
    const said = new Promise<RegExpExecArray>((resolve) =>
      this.readers.push((line) => {
        const match = pattern.exec(line);
        if (match) {
          resolve(match);
        }
      }),
    );
    const over = this.ended.then(() => {
      throw new Error(`${this.command} ended before it said ${pattern}:\n${this.output}`);
    });
    return Promise.race([said, over]);
  }

  /** Stops it and its descendants, and waits for them. */
  async stop(): Promise<void> {
    this.child.stdin?.end();
    if (running.has(this)) {
      this.signal('SIGTERM');
      const late = setTimeout(() => this.kill(), 5000);
      await this.ended;
      clearTimeout(late);
    }
    this.kill(); // what is left of its group
  }

  kill(): void {
    this.signal('SIGKILL');
  }

  private signal(signal: NodeJS.Signals): void {
    try {
      process.kill(-this.child.pid!, signal);
    } catch {
      // the group is gone
    }
  }
}
