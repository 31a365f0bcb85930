import * as vscode from 'vscode';
import { rowOf } from '../review/cursor';
import type { Server } from '../server/server';
import type { Range } from '../shared/wire';
import { askIn, type Entry } from './instruction';
import { argumentOf, chipOf, type Place } from './place';
import type { Notices } from './notices';
import { words } from '../shared/words';

/** Where recent instructions are kept, and how many. */
const stored = 'emendo.instructions';
const most = 20;

/** Asks for an instruction and has the lines edited by it: the result is hunks to decide, in the editor. */
export class InlineEdit implements vscode.Disposable {
  private readonly decoration = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor('editor.rangeHighlightBackground'),
    overviewRulerColor: new vscode.ThemeColor('editorOverviewRuler.rangeHighlightForeground'),
  });

  constructor(
    private readonly server: Server,
    private readonly tasks: Notices,
    private readonly memory: vscode.Memento,
  ) {}

  dispose(): void {
    this.decoration.dispose();
  }

  /** Edits a place, by an instruction that is asked for if none is given. */
  async edit(place: Place, instruction?: string): Promise<void> {
    const { label } = chipOf(place);
    const editor = vscode.window.visibleTextEditors.find(({ document }) => document.uri.toString() === place.uri.toString());
    if (editor && place.range) {
      editor.setDecorations(this.decoration, [lastLineIn(place.range)]);
    }
    try {
      const wanted = instruction ?? (await this.ask(label));
      if (wanted) {
        await this.run(place, wanted);
      }
    } finally {
      editor?.setDecorations(this.decoration, []);
    }
  }

  private async run(place: Place, instruction: string): Promise<void> {
    const before = vscode.window.activeTextEditor?.selection;
    let listening: vscode.Disposable | undefined;
    const proposed = new Promise<void>((resolve) => {
      listening = this.tasks.onDidPropose(({ look, place: of }) => {
        if (look === 'edit' && of && vscode.Uri.parse(of.uri).toString() === place.uri.toString()) {
          void this.goTo(place, before);
          resolve(); // from here on the review shows it
        }
      });
    });
    const ended = this.server.execute('emendo.edit', { ...argumentOf(place), instruction });
    ended.catch(() => {}); // it may end after the race
    await Promise.race([ended, proposed]).finally(() => listening?.dispose());
  }

  /** Puts the cursor on the first hunk of a place, unless it is on one or the user has moved it since, so that the keys of the review mean that hunk. */
  private async goTo({ uri, range }: Place, before: vscode.Selection | undefined): Promise<void> {
    const line = Math.max((range?.start.line ?? 0) - 1, 0);
    const hunk = await this.server.execute<{ uri: string; range: Range } | null>('emendo.nextHunk', { uri: uri.toString(), position: { line, character: 0 } });
    const editor = vscode.window.activeTextEditor;
    if (!editor || !before || editor.document.uri.toString() !== uri.toString() || !editor.selection.isEqual(before) || !hunk || vscode.Uri.parse(hunk.uri).toString() !== uri.toString()) {
      return;
    }
    const row = rowOf(before);
    const { start, end } = hunk.range;
    if (row < start.line || row > Math.max(start.line, end.line - 1)) {
      editor.selection = new vscode.Selection(start.line, 0, start.line, 0);
      editor.revealRange(editor.selection, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    }
  }

  /** Asks for an instruction; recent ones can be chosen again. */
  private async ask(name: string): Promise<string | undefined> {
    const recent = this.memory.get<string[]>(stored, []);
    const box = vscode.window.createQuickPick<vscode.QuickPickItem & Entry>();
    box.title = vscode.l10n.t(words.editTitle, name);
    box.placeholder = vscode.l10n.t(words.editPlaceholder);
    const icons = { typed: new vscode.ThemeIcon('edit'), earlier: new vscode.ThemeIcon('history') };
    const entry = (label: string, entryKind: Entry['entryKind']): vscode.QuickPickItem & Entry => ({ label, entryKind, alwaysShow: true, iconPath: icons[entryKind] });
    const wanted = await askIn(box, recent, entry);
    if (wanted !== undefined) {
      void this.memory.update(stored, [wanted, ...recent.filter((text) => text !== wanted)].slice(0, most));
    }
    return wanted;
  }
}

/** A range that ends in its last line, not at the start of the next. */
function lastLineIn(range: vscode.Range): vscode.Range {
  return range.end.character === 0 && range.end.line > range.start.line ? range.with({ end: new vscode.Position(range.end.line - 1, 0) }) : range;
}
