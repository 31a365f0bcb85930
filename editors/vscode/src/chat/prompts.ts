import type * as vscode from 'vscode';
import type { HostRequests, StoredDrafts, StoredPrompt } from '../shared/messages';

const key = 'emendo.prompt';
/** As many prompts are kept for the workspace, and as many characters of them. */
const most = 200;
const mostCharacters = 512 << 10;
/** As many drafts are kept, and as many characters of them with their chips. */
const mostDrafts = 100;
const mostInDrafts = 1 << 20;

/** What the prompt box had when it was last stored. */
export function storedPrompt(state: vscode.Memento): StoredPrompt {
  return { drafts: {}, history: [], ...state.get<Partial<StoredPrompt>>(key) };
}

/** Stores the draft of a session, or forgets it, and adds what was sent. */
export async function storePrompt(state: vscode.Memento, { session, draft, sent }: HostRequests['storePrompt']['params']): Promise<void> {
  const { drafts, history } = storedPrompt(state);
  if (session !== undefined) {
    const { [session]: _, ...others } = drafts;
    await state.update(key, { drafts: draft ? latest({ ...others, [session]: draft }) : others, history });
  }
  if (sent !== undefined && sent !== history.at(-1)) {
    await state.update(key, { ...storedPrompt(state), history: newest([...history, sent]) });
  }
}

/** Returns the newest prompts that are within the limits. */
export function newest(history: string[]): string[] {
  let characters = 0;
  const from = history.findLastIndex((text) => (characters += text.length) > mostCharacters) + 1;
  return history.slice(Math.max(from, history.length - most));
}

/** Returns the drafts that were written last and are within the limits; the last one in any case. */
function latest(drafts: StoredDrafts): StoredDrafts {
  let characters = 0;
  const sorted = Object.entries(drafts).sort(([, a], [, b]) => b.at - a.at);
  const fits = sorted.filter(([, draft], index) => {
    characters += JSON.stringify(draft).length;
    return index === 0 || (index < mostDrafts && characters <= mostInDrafts);
  });
  return Object.fromEntries(fits);
}
