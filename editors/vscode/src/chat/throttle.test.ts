import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Throttle, type Clock } from './throttle';

/** A clock that stands still until it is moved. */
class Moved implements Clock {
  private time = 0;
  private timer: { at: number; run: () => void } | undefined;

  now(): number {
    return this.time;
  }

  setTimeout(run: () => void, milliseconds: number): unknown {
    this.timer = { at: this.time + milliseconds, run };
    return 1;
  }

  clearTimeout(): void {
    this.timer = undefined;
  }

  move(milliseconds: number): void {
    this.time += milliseconds;
    if (this.timer && this.timer.at <= this.time) {
      const { run } = this.timer;
      this.timer = undefined;
      run();
    }
  }
}

test('the first call runs at once, those that follow as one', () => {
  const clock = new Moved();
  const runs: number[] = [];
  const throttle = new Throttle(50, () => runs.push(clock.now()), clock);
  throttle.soon();
  clock.move(10);
  throttle.soon();
  throttle.soon();
  clock.move(39);
  assert.deepEqual(runs, [0]);
  clock.move(1);
  assert.deepEqual(runs, [0, 50]);
  clock.move(100);
  assert.deepEqual(runs, [0, 50]);
});

test('a flush takes the place of what was put off', () => {
  const clock = new Moved();
  const runs: number[] = [];
  const throttle = new Throttle(50, () => runs.push(clock.now()), clock);
  throttle.soon();
  throttle.soon();
  clock.move(20);
  throttle.now();
  clock.move(200);
  assert.deepEqual(runs, [0, 20]);
});

test('a cancelled run does not happen', () => {
  const clock = new Moved();
  let runs = 0;
  const throttle = new Throttle(50, () => runs++, clock);
  throttle.soon();
  throttle.soon();
  throttle.cancel();
  clock.move(200);
  assert.equal(runs, 1);
});
