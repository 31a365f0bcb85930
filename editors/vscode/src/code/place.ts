import * as vscode from 'vscode';
import { link } from '../chat/attach';
import { declaration, part } from '../chat/complete';
import { label, lineNumbers, range } from '../chat/context';
import type { Chip } from '../shared/messages';

/** A piece of code that a command is about. */
export interface Place {
  uri: vscode.Uri;
  /** Undefined stands for the whole file. */
  range: vscode.Range | undefined;
}

/** Lines before and after the cursor that count where nothing is selected and no declaration is known. */
const around = 25;

/**
 * Finds what a command is about: its arguments, which a code action has, or else
 * the selection of the active editor, or the declaration that the cursor is in.
 */
export async function placeOf(uri?: unknown, range?: unknown): Promise<Place | undefined> {
  if (uri instanceof vscode.Uri) {
    const given = range instanceof vscode.Range ? range : selectionIn(uri);
    return { uri, range: given && (await grown(uri, given)) };
  }
  const editor = vscode.window.activeTextEditor;
  return editor && { uri: editor.document.uri, range: await grown(editor.document.uri, editor.selection) };
}

function selectionIn(uri: vscode.Uri): vscode.Range | undefined {
  return vscode.window.visibleTextEditors.find(({ document }) => document.uri.toString() === uri.toString())?.selection;
}

async function grown(uri: vscode.Uri, range: vscode.Range): Promise<vscode.Range> {
  if (!range.isEmpty) {
    return range;
  }
  const { line } = range.start;
  const document = await vscode.workspace.openTextDocument(uri);
  return (await declaration(uri, range.start)) ?? document.validateRange(new vscode.Range(Math.max(line - around, 0), 0, line + around + 1, 0));
}

/** The schemes of documents whose text the server has. Of others, such as a version in git, the text is sent. */
const served = new Set(['file', 'untitled']);

/** The document of a place whose text has to be sent. */
function unserved({ uri }: Place): vscode.TextDocument | undefined {
  return served.has(uri.scheme) ? undefined : vscode.workspace.textDocuments.find((open) => open.uri.toString() === uri.toString());
}

/** A place as the server's commands take it. */
export function argumentOf(place: Place): Record<string, unknown> {
  const { uri, range: of } = place;
  const document = unserved(place);
  return { uri: uri.toString(), ...(of && { range: range(of) }), ...(document && { text: document.getText(of) }) };
}

/** A chip for a place. */
export function chipOf(place: Place): Chip {
  const { uri, range } = place;
  const path = label(uri);
  const name = path.slice(path.lastIndexOf('/') + 1);
  const chip = range ? partOf(uri, range, name) : link('file', uri, name);
  const document = unserved(place);
  if (!document) {
    return chip;
  }
  const resource = { uri: uri.toString(), text: document.getText(range) };
  return { ...chip, block: { type: 'resource', resource, _meta: { emendo: { kind: chip.kind, label: chip.label } } } };
}

function partOf(uri: vscode.Uri, range: vscode.Range, name: string): Chip {
  return part(uri, range, `${name}:${lineNumbers(range)}`, 'selection');
}
