import * as vscode from 'vscode';
import { named } from '../shared/fold';
import type { ServerViews } from '../server/views';
import type { Changes } from './changes';
import type { Near } from './near';
import type { ReviewHunk } from './store';
import { facts } from './summary';
import { parseVirtual } from './virtual';

/** A file with more hunks has lenses near what can be seen alone. */
const maxHunks = 100;

/** How often, and after how many milliseconds each, VS Code is told again of lenses that it has not asked for. */
const reminders = { most: 5, delay: 1000 };

/** The actions above each hunk. */
export class Lenses implements vscode.CodeLensProvider, vscode.Disposable {
  private readonly changing = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.changing.event;
  private readonly subscription: vscode.Disposable;
  private readonly stale = new Set<string>(); // URIs of files whose lenses VS Code has not asked for since they changed
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly views: ServerViews,
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
      const created = this.changes.store.hunks(virtual.uri, 'pending').filter(({ file }) => file.look === 'create');
      return virtual.kind === 'proposed' ? created.flatMap((h) => this.lenses(h, 0)) : [];
    }
    const last = document.lineCount - 1;
    const placed = this.changes.placed(document);
    const rows = placed.length > maxHunks ? this.near.of(document) : { first: 0, last };
    return placed.filter(({ row }) => rows.first <= row && row <= Math.max(rows.last, 0) + 1).flatMap(({ h, row }) => this.lenses(h, Math.min(row, last)));
  }

  /** What a hunk does, and what can be done with it where nothing has to be written first. */
  private lenses(h: ReviewHunk, row: number): vscode.CodeLens[] {
    const range = new vscode.Range(row, 0, row, 0);
    const warns = h.state === 'conflicted' || h.marks?.some(({ look }) => look === 'warning') === true;
    const about = new vscode.CodeLens(range, { title: `${warns ? '$(warning) ' : ''}${facts(h).join(' \u00B7 ')}`, command: '' });
    const actions = h.actions.flatMap((action) => named(this.views.window, action) ?? []).filter(({ fields }) => !fields);
    const lenses = actions.map(({ id, look = id, title: { text, short = text }, detail }) => {
      const title = icons[look] === undefined ? short : `$(${icons[look]}) ${short}`;
      return new vscode.CodeLens(range, { title, tooltip: detail?.text ?? text, command: 'emendo.actOnHunk', arguments: [h.id, id] });
    });
    return [about, ...lenses];
  }
}

const icons: Record<string, string> = { accept: 'check', reject: 'discard', keep: 'check', undo: 'discard', show: 'diff', edit: 'edit' };

/** The URI of the file whose hunks a document shows. */
function drawnFor({ uri }: vscode.TextDocument): string {
  return parseVirtual(uri)?.uri ?? uri.toString();
}
