/** Helpers for tests of the review. */
import type { Locator } from 'playwright-core';
import { type Code, until } from './harness.ts';

/** Waits until a file has a text in the editor. */
export async function waitForEditorText(code: Code, name: string, text: string): Promise<void> {
  await until(`${name} is ${JSON.stringify(text.slice(0, 200))}`, async () => (await code.editorText(name)) === text);
}

/** The actions above hunks with this title. */
export function lens(code: Code, name: string): Locator {
  return code.page.locator('.codelens-decoration:visible a', { hasText: new RegExp(`^\\s*${name}$`) });
}

/** Waits until this many hunks can be accepted in the active editor. */
export async function waitForPending(code: Code, count: number): Promise<void> {
  await until(`${count} hunks can be accepted`, async () => (await lens(code, 'Accept').count()) === count);
}

/**
 * Opens a hunk to edit its new text, and waits until keys go there. When VS Code
 * has compared the texts it moves the cursor to the first change, once.
 */
export async function editNewText(code: Code, text: string): Promise<void> {
  await lens(code, 'Edit').click();
  await until('the new text is open', async () => (await code.editorText()) === text);
  await code.waitForFocus();
  await code.page.locator('.monaco-diff-editor .editor.modified .line-insert').first().waitFor();
}

/** Waits until the list of changes shows these rows. */
export async function waitForChanges(code: Code, ...rows: RegExp[]): Promise<void> {
  const list = code.page.locator('.pane', { has: code.page.locator('h3', { hasText: 'Changes' }) }).locator('.monaco-list-row');
  await until(`the list shows ${String(rows)}`, async () => {
    const shown = await list.evaluateAll((all) => all.map((row) => row.getAttribute('aria-label') ?? ''));
    return shown.length === rows.length && rows.every((row, i) => row.test(shown[i]!));
  });
}

/** The scheme and path of the active editor's document. */
export function front(code: Code): Promise<string | undefined> {
  return code.window((vscode) => {
    const uri = vscode.window.activeTextEditor?.document.uri;
    return uri && `${uri.scheme}:${uri.path}`;
  });
}
