import * as vscode from 'vscode';
import type { Server } from '../server/server';
import type { Decision, ResolveResult } from '../shared/wire';
import { visibleLine } from '../shared/visible';
import { refusal, unsavedNotebook } from '../notebooks/edits';
import type { Changes } from './changes';
import type { ReviewHunk } from './store';
import { tell } from '../tell';

/** Sends the user's decisions, and reports what became of them. */
export class Decider {
  private readonly deciding = new Set<string>();

  constructor(
    private readonly server: Server,
    private readonly changes: Changes,
  ) {}

  /** Decides hunks as one group: one undo step in each file. A reason goes to the model. */
  async decide(hunks: ReviewHunk[], action: Decision['action'], reason?: string): Promise<void> {
    const result = await this.resolve(hunks, action, { reason });
    if (typeof result === 'string') {
      void tell('error', result);
    } else if (result && result.conflicts.length > 0) {
      void tell('warning', conflicts(result));
    }
  }

  /** Decides many hunks at once, says how many, and offers to undo that. */
  async decideAll(hunks: ReviewHunk[], action: 'accept' | 'reject', reason?: string): Promise<void> {
    const result = await this.resolve(hunks, action, { reason });
    if (typeof result === 'string') {
      void tell('error', result);
      return;
    }
    if (!result) {
      return;
    }
    const failed = new Set(result.conflicts.map(({ hunkId }) => hunkId));
    const done = hunks.filter(({ id }) => !failed.has(id));
    const files = new Set(done.map(({ uri }) => uri)).size;
    const undo = vscode.l10n.t('Undo');
    const count = counted(done.length, files);
    const said = action === 'accept' ? vscode.l10n.t('Accepted {0}.', count) : vscode.l10n.t('Rejected {0}.', count);
    const told = failed.size > 0 ? tell('warning', `${said} ${conflicts(result)}`, undo) : tell('info', said, undo);
    void told.then((chosen) => (chosen === undo ? this.decide(done, 'reopen') : undefined));
  }

  /** Accepts a hunk with a text of the user's. Returns why that failed. */
  async acceptWith(h: ReviewHunk, text: string): Promise<string | undefined> {
    const result = await this.resolve([h], 'accept', { text });
    if (result === undefined) {
      return vscode.l10n.t('The change is being decided already.');
    }
    if (typeof result === 'string') {
      return result;
    }
    return result.conflicts.length > 0 ? conflicts(result) : undefined;
  }

  /** Returns the server's answer, an error as text, or undefined if all are being decided already. */
  private async resolve(
    hunks: ReviewHunk[],
    action: Decision['action'],
    { text, reason = '' }: { text?: string; reason?: string | undefined } = {},
  ): Promise<ResolveResult | string | undefined> {
    let free = hunks.filter(({ id }) => !this.deciding.has(id));
    if (free.length === 0) {
      return undefined;
    }
    const refused: ResolveResult['conflicts'] = [];
    if (action === 'accept') {
      // All that is decided together is one edit, which the notebook would have refused as a whole.
      free = free.filter((h) => {
        const notebook = unsavedNotebook(h.uri);
        if (notebook) {
          refused.push({ hunkId: h.id, reason: refusal(notebook) });
        }
        return !notebook;
      });
      if (free.length === 0) {
        return refused[0]!.reason;
      }
    }
    const ids = free.map(({ id }) => id);
    ids.forEach((id) => this.deciding.add(id));
    this.changes.store.deciding(ids);
    const decisions = free.map((h): Decision => {
      const decision: Decision = { changeSetId: h.set.changeSetId, uri: h.file.uri, hunkId: h.id, action };
      return text === undefined ? decision : { ...decision, text };
    });
    try {
      const result = await this.server.request<ResolveResult>('emendo/changes/resolve', { decisions, ...(reason !== '' && { comment: reason }) });
      this.changes.store.answered(result.changeSets);
      return { ...result, conflicts: [...(result.conflicts ?? []), ...refused] };
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    } finally {
      ids.forEach((id) => this.deciding.delete(id));
    }
  }
}

/** Counts the changes that were decided, in one file or several. */
function counted(changes: number, files: number): string {
  if (changes === 1) {
    return vscode.l10n.t('1 change');
  }
  return files === 1 ? vscode.l10n.t('{0} changes in one file', changes) : vscode.l10n.t('{0} changes in {1} files', changes, files);
}

function conflicts({ conflicts: [first, ...more] }: ResolveResult): string {
  const reason = visibleLine(first?.reason ?? '');
  return more.length === 0
    ? vscode.l10n.t('1 change was not applied: {0}', reason)
    : vscode.l10n.t('{0} changes were not applied; the first: {1}', more.length + 1, reason);
}
