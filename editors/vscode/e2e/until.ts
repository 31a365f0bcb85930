import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';

/** How long a test waits for a condition, and how often it checks, in milliseconds. */
const patience = 30_000;
const look = 40;

/**
 * Waits until the condition returns a value other than undefined, null, false and
 * "", and returns it. It rejects on a timeout.
 */
export async function until<T>(what: string, condition: () => T | Promise<T>, limit = patience): Promise<NonNullable<T>> {
  const late = Date.now() + limit;
  for (;;) {
    let why: unknown;
    let value: T | undefined;
    try {
      value = await condition();
    } catch (error) {
      why = error;
    }
    if (value !== undefined && value !== null && value !== false && value !== '') {
      return value as NonNullable<T>;
    }
    if (Date.now() > late) {
      throw new Error(`timed out waiting until ${what}`, { cause: why ?? value });
    }
    await new Promise((resolve) => setTimeout(resolve, look));
  }
}

/** Waits until get returns the wanted value. On a timeout it rejects with the last value. */
export async function waitForValue<T>(get: () => Promise<T>, want: T, why?: string): Promise<void> {
  let got: T | undefined;
  const equal = async () => {
    got = await get();
    return isDeepStrictEqual(got, want);
  };
  await until(why ?? 'the value is as wanted', equal).catch((error: unknown) => {
    assert.deepEqual(got, want, why);
    throw error;
  });
}
