import * as vscode from 'vscode';
import { lines } from '../chat/context';
import type { Questions } from '../questions';
import type { Server } from '../server/server';
import { aside } from './aside';
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
            onProposed: () => resolve(undefined), // from here on the review shows it
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
  private ask(name: string): Promise<string | undefined> {
    const recent = this.memory.get<string[]>(stored, []);
    const box = vscode.window.createQuickPick();
    box.title = vscode.l10n.t('Edit {0}', name);
    box.placeholder = vscode.l10n.t('What should change? Enter proposes the edit.');
    const offer = (): void => {
      const typed = box.value.trim();
      const earlier = recent.filter((text) => text !== typed).map((label) => ({ label, iconPath: new vscode.ThemeIcon('history') }));
      box.items = typed === '' ? earlier : [{ label: typed, alwaysShow: true, iconPath: new vscode.ThemeIcon('edit') }, ...earlier];
    };
    offer();
    box.onDidChangeValue(offer);
    return new Promise((resolve) => {
      box.onDidAccept(() => {
        const chosen = (box.activeItems[0]?.label ?? box.value).trim();
        if (chosen !== '') {
          void this.memory.update(stored, [chosen, ...recent.filter((text) => text !== chosen)].slice(0, most));
          resolve(chosen);
          box.hide();
        }
      });
      box.onDidHide(() => {
        resolve(undefined);
        box.dispose();
      });
      box.show();
    });
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
