import { useLayoutEffect, useState } from 'preact/hooks';

/** Whether the user searches the conversation: then folded parts of turns that are drawn are drawn too, to be found. */
let finding = false;
const listeners = new Set<() => void>();

export function setFinding(on: boolean): void {
  finding = on;
  for (const listener of [...listeners]) {
    listener();
  }
}

export function useFinding(): boolean {
  const [now, set] = useState(finding);
  useLayoutEffect(() => {
    const listener = (): void => set(finding);
    listener();
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, []);
  return now;
}
