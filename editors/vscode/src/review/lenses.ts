import * as vscode from 'vscode';
import { visibleLine } from '../shared/visible';
import type { Changes } from './changes';
import type { Near } from './near';
import type { ReviewHunk } from './store';
import { counts, shortPath } from './summary';
import { parseVirtual } from './virtual';

/** A file with more hunks has lenses near what can be seen alone. */
const maxHunks = 100;

/** How often, and after how many milliseconds each, VS Code is told again of lenses that it has not asked for. */
const reminders = { most: 5, delay: 1000 };

/** The actions above each hunk. They need no server. */
export class Lenses implements vscode.CodeLensProvider, vscode.Disposable {
  private readonly changing = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.changing.event;
  private readonly subscription: vscode.Disposable;
  private readonly stale = new Set<string>(); // URIs of files whose lenses VS Code has not asked for since they changed
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly changes: Changes,
    private readonly near: Near,
  ) {
    this.subscription = vscode.Disposable.from(
      changes.onDidChange((uris) => {
        uris.forEach((uri) => this.stale.add(uri));
        this.changing.fire();
        this.remind(reminders.most);
      }),
      near.onDidChange((document) => {
        if (changes.placed(document).length > maxHunks) {
          this.changing.fire();
        }
      }),
    );
  }

  dispose(): void {
    clearTimeout(this.timer);
    vscode.Disposable.from(this.subscription, this.changing).dispose();
  }

  /**
   * Tells VS Code again, so many times, while it has not asked for the lenses of a visible
   * file. It waits a moment before it asks, and forgets to if the editor loses the focus
   * meanwhile, as to a question in the chat.
   */
  private remind(times: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      if (times > 0 && vscode.window.visibleTextEditors.some(({ document }) => this.stale.has(drawnFor(document)))) {
        this.changing.fire();
        this.remind(times - 1);
      }
    }, reminders.delay);
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    this.stale.delete(drawnFor(document));
    const virtual = parseVirtual(document.uri);
    if (virtual) {
      // A file that is to be created has no editor but this one.
      const created = this.changes.store.hunks(virtual.uri, ['pending']).filter(({ file }) => file.op === 'create');
      return virtual.kind === 'proposed' ? created.flatMap((h) => this.lenses(h, 0)) : [];
    }
    const last = document.lineCount - 1;
    const placed = this.changes.placed(document);
    const rows = placed.length > maxHunks ? this.near.of(document) : { first: 0, last };
    return placed.filter(({ row }) => rows.first <= row && row <= Math.max(rows.last, 0) + 1).flatMap(({ h, row }) => this.lenses(h, Math.min(row, last)));
  }

  private lenses(h: ReviewHunk, row: number): vscode.CodeLens[] {
    const range = new vscode.Range(row, 0, row, 0);
    const lens = (title: string, command: string, tooltip?: string): vscode.CodeLens =>
      new vscode.CodeLens(range, { title, command, ...(tooltip !== undefined && { tooltip }), ...(command !== '' && { arguments: [h.id] }) });
    const { t } = vscode.l10n;
    const accept = lens(`$(check) ${t('Accept')}`, 'emendo.acceptHunk', t('Accept this change'));
    const reject = lens(`$(discard) ${t('Reject')}`, 'emendo.rejectHunk', t('Reject this change'));
    const show = lens(`$(diff) ${t('Show')}`, 'emendo.showHunk', t('Show this change in the diff editor'));
    const edit = lens(`$(edit) ${t('Edit')}`, 'emendo.editHunk', t('Edit the new text, and accept it by saving'));
    switch (h.hunk.state) {
      case 'conflicted':
        return [
          lens(`$(warning) ${t('Conflict: {0}', visibleLine(h.hunk.reason ?? ''))}`, ''),
          lens(t('Try Again'), 'emendo.acceptHunk', t('Accept this change, if its old text is in its place')),
          lens(t('Dismiss'), 'emendo.rejectHunk', t('Do not show this conflict any longer')),
          edit,
        ];
      case 'accepted':
        return [lens(t('Applied {0}', counts([h])), ''), lens(`$(discard) ${t('Undo')}`, 'emendo.rejectHunk', t('Undo this change')), show];
    }
    switch (h.file.op) {
      case 'create':
        return [lens(t('Create this file'), ''), accept, reject, edit];
      case 'delete':
        return [lens(t('Delete this file'), ''), accept, reject];
      case 'rename':
        return [lens(t('Rename this file to {0}', visibleLine(shortPath(h.file.newUri ?? ''))), ''), accept, reject];
      case 'modify':
        return [lens(counts([h]), ''), accept, reject, show, edit];
    }
  }
}

/** The URI of the file whose hunks a document shows. */
function drawnFor({ uri }: vscode.TextDocument): string {
  return parseVirtual(uri)?.uri ?? uri.toString();
}
