/**
 * Tests of the extension in real VS Code: code-server, a headless Chromium and a
 * fake model, each journey with an empty profile and the packaged extension.
 *
 *     .editors/code-server/bin/node --test editors/vscode/e2e/ask.test.ts
 *
 * The server of the next journey starts while one runs.
 *
 * EMENDO_VSIX names the package to test; without it one is built. Pictures go to
 * .build/e2e/shots, and what explains a failure to .build/e2e/failures.
 */
import { after, test } from 'node:test';
import { Code, closeBrowser } from './code.ts';
import { Served, type Options } from './served.ts';

export { Code } from './code.ts';
export { type Options } from './served.ts';
export * from './model.ts';
export { waitForValue, until } from './until.ts';

/** How long one journey may take, in milliseconds. */
const limit = 180_000;

/** The options of this process's journeys, in order, and the server started for the next one. */
const journeys: Options[] = [];
let ahead: { number: number; served: Promise<Served> } | undefined;

after(async () => {
  await leave();
  await closeBrowser();
});

/** A test in its own window. */
export function journey(name: string, options: Options, body: (code: Code) => Promise<void>): void {
  const number = journeys.push(options) - 1;
  test(name, { timeout: limit }, async (t) => {
    const served = await taken(number);
    const code = await Code.open(served).catch(async (error: unknown) => {
      await served.stop();
      throw error;
    });
    startAhead(number + 1);
    try {
      const late = new Promise<never>((_, reject) => t.signal.addEventListener('abort', () => reject(new Error('the journey took too long'))));
      await Promise.race([body(code), late]);
      await nothingRefused(code);
    } catch (error) {
      const folder = await code.report(name);
      t.diagnostic(`what explains the failure is in ${folder}`);
      throw error;
    } finally {
      await code.close();
    }
  });
}

/** Whether this is a run of all tests, which leaves out what `make nightly` adds. */
export const short = process.env['EMENDO_JOURNEYS'] === 'short';

/** A journey that `make nightly` makes, and not each run of all: another one covers most of what it does. */
export function nightly(name: string, options: Options, body: (code: Code) => Promise<void>): void {
  if (!short) {
    journey(name, options, body);
  }
}

/** The server that was started for a journey, or a new one. */
async function taken(number: number): Promise<Served> {
  if (ahead?.number !== number) {
    await leave(); // the runner has left out a journey
    return Served.start(journeys[number]!);
  }
  const { served } = ahead;
  ahead = undefined;
  return served;
}

/** Starts a journey's server while the one before it waits for its window and its model. */
function startAhead(number: number): void {
  const options = journeys[number];
  if (options) {
    ahead = { number, served: Served.start(options) };
    ahead.served.catch(() => {}); // the journey that takes it fails
  }
}

/** Stops a server that no journey uses. */
async function leave(): Promise<void> {
  const served = await ahead?.served.catch(() => undefined);
  ahead = undefined;
  await served?.stop();
}

/** Asserts that a text, such as a request, contains another. */
export function assertContains(text: string, part: string): void {
  if (!text.includes(part)) {
    const near = text.length > 2000 ? `${text.slice(0, 1000)} … ${text.slice(-1000)}` : text;
    throw new Error(`${JSON.stringify(part)} is missing in: ${near}`);
  }
}

/** Fails if the model, which is strict, rejected a request. */
async function nothingRefused(code: Code): Promise<void> {
  const refused = (await code.model.requests()).flatMap(({ refused }) => refused ?? []);
  if (refused.length > 0) {
    throw new Error(`the model refused requests: ${refused.join('; ')}`);
  }
}
