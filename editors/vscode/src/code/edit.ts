import * as vscode from 'vscode';
import { lines } from '../chat/context';
import type { Questions } from '../questions';
import { rowOf } from '../review/cursor';
import type { Server } from '../server/server';
import type { ChangeSet } from '../shared/wire';
import { aside } from './aside';
import { askIn, type Entry } from './instruction';
import { chipOf, type Place } from './place';
import { tell } from '../tell';

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
    private readonly questions: Questions,
    private readonly memory: vscode.Memento,
  ) {}

  dispose(): void {
    this.decoration.dispose();
  }

  /** Edits a place, by an instruction that is asked for if none is given. */
  async edit(place: Place, instruction?: string): Promise<void> {
    const chip = chipOf(place);
    const editor = vscode.window.visibleTextEditors.find(({ document }) => document.uri.toString() === place.uri.toString());
    if (editor && place.range) {
      editor.setDecorations(this.decoration, [lastLineIn(place.range)]);
    }
    try {
      const wanted = instruction ?? (await this.ask(chip.label));
      if (wanted) {
        await this.run(place, wanted, chip.label);
      }
    } finally {
      editor?.setDecorations(this.decoration, []);
    }
  }

  private async run(place: Place, instruction: string, name: string): Promise<void> {
    const { block } = chipOf(place);
    const before = vscode.window.activeTextEditor?.selection;
    const where = place.range ? vscode.l10n.t('Edit these lines, and others only where that needs it: {0}.', place.range ? span(place.range) : name) : vscode.l10n.t('Edit this file.');
    const prompt = [{ type: 'text' as const, text: `${instruction}\n\n${where}` }, block];
    const title = vscode.l10n.t('Emendo edits {0}', name);
    const ended = new vscode.CancellationTokenSource();
    const outcome = await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Notification, title, cancellable: true },
      (_progress, token) => {
        token.onCancellationRequested(() => ended.cancel());
        return new Promise<Awaited<ReturnType<typeof aside>> | undefined>((resolve, reject) => {
          const turn = aside({
            server: this.server,
            questions: this.questions,
            title,
            mode: 'default',
            prompt,
            token: ended.token,
            onProposed: (changeSet) => {
              goTo(changeSet, place.uri, before);
              resolve(undefined); // from here on the review shows it
            },
          });
          turn.then(resolve, reject);
        });
      },
    );
    if (outcome && !outcome.proposed && outcome.stopReason !== 'cancelled') {
      const said = outcome.answer.trim().replace(/\s+/g, ' ').slice(0, 400);
      void tell('info', said ? vscode.l10n.t('Emendo proposes no edit: {0}', said) : vscode.l10n.t('Emendo proposes no edit.'));
    }
  }

  /** Asks for an instruction; recent ones can be chosen again. */
  private async ask(name: string): Promise<string | undefined> {
    const recent = this.memory.get<string[]>(stored, []);
    const box = vscode.window.createQuickPick<vscode.QuickPickItem & Entry>();
    box.title = vscode.l10n.t('Edit {0}', name);
    box.placeholder = vscode.l10n.t('What should change? Enter proposes the edit.');
    const icons = { typed: new vscode.ThemeIcon('edit'), earlier: new vscode.ThemeIcon('history') };
    const entry = (label: string, entryKind: Entry['entryKind']): vscode.QuickPickItem & Entry => ({ label, entryKind, alwaysShow: true, iconPath: icons[entryKind] });
    const wanted = await askIn(box, recent, entry);
    if (wanted !== undefined) {
      void this.memory.update(stored, [wanted, ...recent.filter((text) => text !== wanted)].slice(0, most));
    }
    return wanted;
  }
}

/** Puts the cursor on the first hunk of a file, unless it is on one or the user has moved it since, so that the keys of the review mean that hunk. */
function goTo({ files }: ChangeSet, uri: vscode.Uri, before: vscode.Selection | undefined): void {
  const editor = vscode.window.activeTextEditor;
  const hunks = files.find((file) => vscode.Uri.parse(file.uri).toString() === uri.toString())?.hunks ?? [];
  if (!editor || !before || editor.document.uri.toString() !== uri.toString() || !editor.selection.isEqual(before) || hunks.length === 0) {
    return;
  }
  const row = rowOf(before);
  if (!hunks.some(({ range: { start, end } }) => start.line <= row && row <= Math.max(start.line, end.line - 1))) {
    const { line } = hunks[0]!.range.start;
    editor.selection = new vscode.Selection(line, 0, line, 0);
    editor.revealRange(editor.selection, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  }
}

/** A range that ends in its last line, not at the start of the next. */
function lastLineIn(range: vscode.Range): vscode.Range {
  return range.end.character === 0 && range.end.line > range.start.line ? range.with({ end: new vscode.Position(range.end.line - 1, 0) }) : range;
}

function span(range: vscode.Range): string {
  const [first, last] = lines(range);
  return first === last ? `${first}` : `${first}-${last}`;
}
