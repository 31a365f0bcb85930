/**
 * Tests of the extension in real VS Code: code-server, a headless Chromium and a
 * fake model, each journey with an empty profile and the packaged extension.
 *
 *     .editors/code-server/bin/node --test editors/vscode/e2e/ask.test.ts
 *
 * EMENDO_VSIX names the package to test; without it one is built. Pictures go to
 * .build/e2e/shots, and what explains a failure to .build/e2e/failures.
 */
import { after, test } from 'node:test';
import { Code, closeBrowser, type Options } from './code.ts';

export { Code, type Options, type Violation } from './code.ts';
export * from './model.ts';
export { becomes, until } from './until.ts';

/** How long one journey may take, in milliseconds. */
const limit = 180_000;

after(closeBrowser);

/** A test in a window of its own. */
export function journey(name: string, options: Options, body: (code: Code) => Promise<void>): void {
  test(name, { timeout: limit }, async (t) => {
    const code = await Code.start(options);
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

/** Asserts that a text, such as a request, contains another. */
export function holds(text: string, part: string): void {
  if (!text.includes(part)) {
    const near = text.length > 2000 ? `${text.slice(0, 1000)} … ${text.slice(-1000)}` : text;
    throw new Error(`${JSON.stringify(part)} is missing in: ${near}`);
  }
}

/** The model is strict, and every request has to please it. */
async function nothingRefused(code: Code): Promise<void> {
  const refused = (await code.model.requests()).flatMap(({ refused }) => refused ?? []);
  if (refused.length > 0) {
    throw new Error(`the model refused requests: ${refused.join('; ')}`);
  }
}
