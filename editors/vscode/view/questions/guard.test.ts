import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Guard, hold, type Place } from './guard';

const here: Place = { left: 10, top: 100, width: 200, height: 24 };

function setUp(): { guard: Guard; pass: (ms: number) => void } {
  let time = 1000;
  const guard = new Guard(() => time);
  guard.moved(here);
  return { guard, pass: (ms) => (time += ms) };
}

test('what has just appeared takes no answer', () => {
  const { guard, pass } = setUp();
  assert.equal(guard.ready(here), false);
  pass(hold - 1);
  assert.equal(guard.ready(here), false);
  pass(1);
  assert.equal(guard.ready(here), true);
});

test('what moved waits again', () => {
  const { guard, pass } = setUp();
  pass(hold);
  const lower = { ...here, top: here.top + 40 };
  guard.moved(lower);
  assert.equal(guard.ready(lower), false);
  pass(hold);
  assert.equal(guard.ready(lower), true);
});

test('a movement that nobody saw is noticed at the answer', () => {
  const { guard, pass } = setUp();
  pass(hold);
  const wider = { ...here, width: here.width + 50 };
  assert.equal(guard.ready(wider), false);
  pass(hold);
  assert.equal(guard.ready(wider), true);
});

test('part of a pixel is no movement', () => {
  const { guard, pass } = setUp();
  pass(hold);
  assert.equal(guard.ready({ ...here, top: here.top + 0.5 }), true);
});
