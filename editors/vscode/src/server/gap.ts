/** A pause in typing is as long as this, and is not waited for longer, in milliseconds. */
const pause = 250;
const longest = 1500;

interface Disposable {
  dispose(): unknown;
}

/** Runs something in so many milliseconds, unless it is disposed of before. */
type Later = (run: () => void, ms: number) => Disposable;

const later: Later = (run, ms) => {
  const timer = setTimeout(run, ms);
  return { dispose: () => clearTimeout(timer) };
};

/**
 * Waits for a pause in the changes that a source tells of. It is over after some time
 * without one too.
 */
export function gap(onChange: (listener: () => void) => Disposable, wait: Later = later): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      [listening, quiet, limit].forEach((each) => each.dispose());
      resolve();
    };
    let quiet = wait(done, pause);
    const limit = wait(done, longest);
    const listening = onChange(() => {
      quiet.dispose();
      quiet = wait(done, pause);
    });
  });
}
