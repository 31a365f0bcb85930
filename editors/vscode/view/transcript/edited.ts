import { keep, kept } from '../bridge';

/** As many prompts are remembered. */
const most = 20;

/** Returns what was typed in place of the prompt of a turn, and not sent yet. */
export function editedPrompt(turnId: string): string | undefined {
  return all()[turnId];
}

/** Keeps what is typed in place of a prompt, also over a reload; undefined forgets it. */
export function keepEdited(turnId: string, text: string | undefined): void {
  const { [turnId]: _, ...others } = all();
  const edited = text === undefined ? others : { ...others, [turnId]: text };
  keep({ ...kept(), edited: Object.fromEntries(Object.entries(edited).slice(-most)) });
}

function all(): Record<string, string> {
  return (kept().edited as Record<string, string> | undefined) ?? {};
}
