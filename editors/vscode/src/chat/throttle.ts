/** The clock that a throttle goes by, so that tests can have their own. */
export interface Clock {
  /** Milliseconds from any fixed time. */
  now(): number;
  setTimeout(run: () => void, milliseconds: number): unknown;
  clearTimeout(timer: never): void;
}

const system: Clock = {
  now: () => performance.now(),
  setTimeout: (run, milliseconds) => setTimeout(run, milliseconds),
  clearTimeout: (timer) => clearTimeout(timer),
};

/**
 * Runs something at most once in an interval: at once when it has not run for
 * that long, else when the interval has passed, so that the last call counts.
 */
export class Throttle {
  private last = -Infinity;
  private timer: unknown;

  constructor(
    private readonly interval: number,
    private readonly run: () => void,
    private readonly clock: Clock = system,
  ) {}

  /** Runs it now, or as soon as it may. */
  soon(): void {
    const wait = this.last + this.interval - this.clock.now();
    if (wait <= 0) {
      this.now();
    } else {
      this.timer ??= this.clock.setTimeout(() => this.now(), wait);
    }
  }

  /** Runs it now, whenever it last ran. */
  now(): void {
    this.cancel();
    this.last = this.clock.now();
    this.run();
  }

  /** Forgets a run that was put off. */
  cancel(): void {
    if (this.timer !== undefined) {
      this.clock.clearTimeout(this.timer as never);
      this.timer = undefined;
    }
  }
}
