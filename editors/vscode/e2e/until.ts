import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';

/** How long a test waits for what must come, and how often it looks, in milliseconds. */
const patience = 30_000;
const look = 40;

/**
 * Waits until the condition holds, and returns what it returned: anything but
 * undefined, null, false and "". It rejects with what it waited for otherwise.
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
      throw new Error(`waited in vain until ${what}`, { cause: why ?? value });
    }
    await new Promise((resolve) => setTimeout(resolve, look));
  }
}

/** Waits until get returns what is wanted. It rejects with what it returned last otherwise. */
export async function becomes<T>(get: () => Promise<T>, want: T, why?: string): Promise<void> {
  let got: T | undefined;
  const equal = async () => {
    got = await get();
    return isDeepStrictEqual(got, want);
  };
  await until(why ?? 'it is as wanted', equal).catch((error: unknown) => {
    assert.deepEqual(got, want, why);
    throw error;
  });
}
