import * as vscode from 'vscode';
import { visibleLine } from '../shared/visible';
import type { Changes } from './changes';
import { drawnEditors, onDidChangeDrawnEditors } from './editors';
import type { Near } from './near';
import { lineBeside } from './rows';
import type { ReviewHunk } from './store';

/** Draws hunks into the editors that show their files. */
export class Marks implements vscode.Disposable {
  private types: ReturnType<typeof decorationTypes> | undefined;
  private readonly disposables: vscode.Disposable[];

  constructor(
    private readonly changes: Changes,
    private readonly near: Near,
  ) {
    this.disposables = [
      changes.onDidChange((uris) => this.drawAll(uris)),
      onDidChangeDrawnEditors(() => drawnEditors().forEach((editor) => this.draw(editor))),
      near.onDidChange((document) =>
        drawnEditors().filter((editor) => editor.document === document).forEach((editor) => this.drawDetails(editor)),
      ),
    ];
  }

  dispose(): void {
    vscode.Disposable.from(...this.disposables, ...Object.values(this.types ?? {})).dispose();
  }

  private drawAll(uris: Set<string>): void {
    for (const editor of drawnEditors()) {
      if (uris.has(editor.document.uri.toString())) {
        this.draw(editor);
      }
    }
  }

  private draw(editor: vscode.TextEditor): void {
    const { document } = editor;
    const placed = this.changes.placed(document);
    if (placed.length === 0 && !this.types) {
      return;
    }
    const types = (this.types ??= decorationTypes());
    const ranges = { removed: [], replaced: [], inserted: [], unreviewed: [], conflicted: [] } as Record<Lines, vscode.Range[]>;
    const last = document.lineCount - 1;
    for (const { h, row, rows } of placed) {
      const first = Math.min(row, last);
      const lines = linesOf(h, rows);
      const end = lines === 'replaced' ? document.lineAt(first).range.end : new vscode.Position(Math.min(first + Math.max(rows, 1) - 1, last), 0);
      ranges[lines].push(new vscode.Range(new vscode.Position(first, 0), end));
    }
    for (const kind of Object.keys(ranges) as Lines[]) {
      editor.setDecorations(types[kind], ranges[kind]);
    }
    this.drawDetails(editor);
  }

  /** Draws the details of the hunks that are near what can be seen: each is a style of its own, which is slow for thousands. */
  private drawDetails(editor: vscode.TextEditor): void {
    if (!this.types) {
      return;
    }
    const { document } = editor;
    const { first, last } = this.near.of(document);
    const words: vscode.DecorationOptions[] = [];
    for (const { h, row } of this.changes.placed(document)) {
      if (h.state === 'pending' && first <= row && row <= last && row < document.lineCount) {
        this.addWords(words, document, h, row);
      }
    }
    editor.setDecorations(this.types.words, words);
  }

  /** Marks what changes inside the old lines, and shows a new line beside the one that it replaces. */
  private addWords(words: vscode.DecorationOptions[], document: vscode.TextDocument, h: ReviewHunk, row: number): void {
    const { rows = [] } = h;
    rows.filter(([mark]) => mark !== '+').forEach(([, , spans = []], i) => {
      spans.forEach(([from, to]) => words.push({ range: new vscode.Range(row + i, from, row + i, to) }));
    });
    const beside = lineBeside(h);
    if (beside !== undefined) {
      const { end } = document.lineAt(row).range;
      words.push({ range: new vscode.Range(end, end), renderOptions: { after: ghost(beside) } });
    }
  }
}

/** How the lines of a hunk look. */
type Lines = 'removed' | 'replaced' | 'inserted' | 'unreviewed' | 'conflicted';
type Kind = Lines | 'words';

function linesOf(h: ReviewHunk, rows: number): Lines {
  if (h.state !== 'pending') {
    return h.state;
  }
  if (rows === 0 && h.file.look !== 'delete') {
    return 'inserted';
  }
  return lineBeside(h) === undefined ? 'removed' : 'replaced';
}

function ghost(line: string): vscode.ThemableDecorationAttachmentRenderOptions {
  return {
    contentText: `\u2192 ${visibleLine(line.trim()).replaceAll(' ', '\u00A0')}`,
    margin: '0 0 0 2ch',
    color: new vscode.ThemeColor('editor.foreground'),
    backgroundColor: new vscode.ThemeColor('diffEditor.insertedTextBackground'),
    border: '1px solid',
    borderColor: new vscode.ThemeColor('diffEditor.insertedTextBorder'),
  };
}

/** Colours are the diff editor's; high contrast themes have its borders in place of its backgrounds. */
function decorationTypes(): Record<Kind, vscode.TextEditorDecorationType> {
  const make = vscode.window.createTextEditorDecorationType;
  const color = (id: string): vscode.ThemeColor => new vscode.ThemeColor(id);
  const ruler = (id: string): vscode.DecorationRenderOptions => ({
    overviewRulerColor: color(id),
    overviewRulerLane: vscode.OverviewRulerLane.Full,
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
  });
  return {
    removed: make({
      ...ruler('editorOverviewRuler.deletedForeground'),
      isWholeLine: true,
      backgroundColor: color('diffEditor.removedLineBackground'),
      border: '1px dashed',
      borderColor: color('diffEditor.removedTextBorder'),
    }),
    // Ends with the text, so that what is shown after it is not drawn over the colour of removed lines.
    replaced: make({
      ...ruler('editorOverviewRuler.deletedForeground'),
      backgroundColor: color('diffEditor.removedLineBackground'),
      border: '1px dashed',
      borderColor: color('diffEditor.removedTextBorder'),
    }),
    words: make({
      rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
      backgroundColor: color('diffEditor.removedTextBackground'),
    }),
    inserted: make({
      ...ruler('editorOverviewRuler.addedForeground'),
      isWholeLine: true,
      border: 'solid',
      borderWidth: '1px 0 0 0',
      borderColor: color('editorGutter.addedBackground'),
    }),
    unreviewed: make({
      ...ruler('editorOverviewRuler.addedForeground'),
      isWholeLine: true,
      backgroundColor: color('diffEditor.insertedLineBackground'),
      border: '1px dashed',
      borderColor: color('diffEditor.insertedTextBorder'),
    }),
    conflicted: make({
      ...ruler('editorOverviewRuler.warningForeground'),
      isWholeLine: true,
      border: 'solid',
      borderWidth: '0 0 0 3px',
      borderColor: color('editorWarning.foreground'),
    }),
  };
}
