import * as vscode from 'vscode';

import type { ServerViews } from '../server/views';
import { refusal, unsavedNotebook } from '../notebooks/edits';
import type { Action, Item } from '../shared/view';
import type { ReviewHunk } from './store';
import { tell } from '../tell';

/** What an action is about: a hunk, a file, all of a session, or by the status all. */
export interface Subject {
  id: string;
  /** Of the window's view, as the user saw it. */
  version: number;
  /** The hunks that it may be about. */
  hunks: readonly ReviewHunk[];
}

/** Sends the user's decisions, and tells what became of them. */
export class Decider {
  private readonly deciding = new Set<string>();

  constructor(private readonly views: ServerViews) {}

  /** Decides, once: while that goes on nothing more is decided about the same. */
  async decide({ id, version, hunks }: Subject, action: Pick<Action, 'id' | 'look'>, more: { text?: string; reason?: string } = {}): Promise<void> {
    if (this.deciding.has(id)) {
      return;
    }
    const notebook = action.look === 'accept' || more.text !== undefined ? hunks.map(({ uri }) => unsavedNotebook(uri)).find((found) => found) : undefined;
    this.deciding.add(id);
    try {
      if (notebook) {
        await this.acceptOthers(hunks);
        throw new Error(refusal(notebook));
      }
      const { text, reason = '' } = more;
      const { notice } = await this.views.act({
        id,
        actionId: action.id,
        version,
        ...(text !== undefined && { text }),
        ...(reason !== '' && { values: { reason: [reason] } }),
      });
      if (notice) {
        void this.tell(notice);
      }
    } finally {
      this.deciding.delete(id);
    }
  }

  /** Accepts one by one what is not in the way of a notebook: it would refuse all that is decided together. */
  private async acceptOthers(hunks: readonly ReviewHunk[]): Promise<void> {
    for (const { id, uri, state } of hunks) {
      const { hunks: left, version } = this.views.window;
      if (state === 'pending' && !unsavedNotebook(uri) && left.has(id)) {
        await this.views.act({ id, actionId: 'accept', version });
      }
    }
  }

  /** Says what was done, with what undoes it; without that only for a while, beside the status. */
  private async tell({ id, title, actions = [] }: Item): Promise<void> {
    const offered = actions.filter((action) => typeof action !== 'string');
    if (offered.length === 0) {
      vscode.window.setStatusBarMessage(title.text, 5000);
      return;
    }
    const chosen = await tell('info', title.text, ...offered.map((action) => ({ title: action.title.text, action })));
    if (chosen) {
      await this.views.act({ id, actionId: chosen.action.id, version: this.views.window.version }).catch((error: unknown) => tell('error', String(error)));
    }
  }
}
