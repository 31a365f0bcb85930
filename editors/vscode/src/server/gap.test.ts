import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gap } from './gap';

/** A keyboard, and a clock that goes on when the test says so. */
class Waiting {
  over = false;
  private now = 0;
  private readonly timers = new Set<{ at: number; run: () => void }>();
  private readonly listeners = new Set<() => void>();

  constructor() {
    void gap(
      (listener) => {
        this.listeners.add(listener);
        return { dispose: () => this.listeners.delete(listener) };
      },
      (run, ms) => {
        const timer = { at: this.now + ms, run };
        this.timers.add(timer);
        return { dispose: () => this.timers.delete(timer) };
      },
    ).then(() => (this.over = true));
  }

  type(): void {
    this.listeners.forEach((heard) => heard());
  }

  async after(ms: number): Promise<boolean> {
    this.now += ms;
    for (const timer of [...this.timers]) {
      if (timer.at <= this.now && this.timers.delete(timer)) {
        timer.run();
      }
    }
    await Promise.resolve();
    return this.over;
  }

  /** Whether nothing is left that would still run. */
  get clean(): boolean {
    return this.timers.size === 0 && this.listeners.size === 0;
  }
}

test('a pause in typing is waited for', async () => {
  const waiting = new Waiting();
  for (let i = 0; i < 5; i++) {
    assert.equal(await waiting.after(200), false);
    waiting.type();
  }
  assert.equal(await waiting.after(249), false);
  assert.equal(await waiting.after(1), true);
  assert.ok(waiting.clean);
});

test('who never pauses is not waited for long', async () => {
  const waiting = new Waiting();
  for (let i = 0; i < 14; i++) {
    assert.equal(await waiting.after(100), false);
    waiting.type();
  }
  assert.equal(await waiting.after(100), true);
  assert.ok(waiting.clean);
});
