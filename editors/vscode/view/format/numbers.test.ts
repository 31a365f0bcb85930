import assert from 'node:assert/strict';
import { test } from 'node:test';
import { duration, exact, tokens } from './numbers';

test('durations', () => assert.deepEqual([0, 420, 12_400, 185_000].map(duration), ['0.0 s', '0.4 s', '12 s', '3 min 5 s']));

test('tokens', () => assert.deepEqual([812, 1000, 12_345, 999_499, 1_230_000].map(tokens), ['812', '1K', '12.3K', '999.5K', '1.2M']));

test('numbers in full', () => assert.equal(exact(1_234_567), '1,234,567'));
