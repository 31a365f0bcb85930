/** Context for `@` that only the editor knows. */
import * as vscode from 'vscode';
import type { Chip } from '../shared/messages';
import { label, lines, openFiles, range, type EditorContexts } from './context';
import { link } from './attach';
import { terminalSelection } from './terminal';
import { words } from '../shared/words';

/** Symbols are looked for from this many characters on: language servers return everything for none. */
const minSymbol = 2;
const maxSymbols = 12;
const maxProblems = 100;

/**
 * Returns what the editor offers for the word behind an `@`. Symbols and the
 * terminal's selection have `resolve`: what they stand for is looked up when
 * the user chooses them.
 */
export async function complete(query: string, contexts: EditorContexts): Promise<Chip[]> {
  const word = query.toLowerCase();
  const about = (...names: string[]): boolean => names.some((name) => name.startsWith(word));
  const items: Chip[] = [];
  const { target } = contexts;
  if (target && about('selection', 'selected')) {
    items.push(...selected(target.uri, target.selections));
  }
  if (about('problems', 'errors', 'diagnostics')) {
    items.push(...problems(target?.uri));
  }
  if (vscode.window.activeTerminal && about('terminal', 'selection')) {
    items.push({
      id: 'terminal',
      kind: 'terminal',
      label: vscode.l10n.t(words.terminalSelection),
      detail: vscode.window.activeTerminal.name,
      block: { type: 'text', text: '' },
      resolve: true,
    });
  }
  for (const uri of openFiles()) {
    const name = label(uri);
    if (name.toLowerCase().includes(word)) {
      items.push({ ...link('file', uri, name.slice(name.lastIndexOf('/') + 1)), kind: 'editor' });
    }
  }
  if (word.length >= minSymbol) {
    items.push(...(await symbols(query)));
  }
  return items;
}

/** Looks up what a chip with `resolve` stands for. */
export async function resolve(chip: Chip): Promise<Chip> {
  if (chip.kind === 'terminal') {
    return terminalSelection();
  }
  const { block } = chip;
  if (chip.kind !== 'symbol' || block.type !== 'resource_link') {
    return chip;
  }
  const uri = vscode.Uri.parse(block.uri);
  const named = block._meta?.range as vscode.Range;
  const whole = named && (await declaration(uri, new vscode.Position(named.start.line, named.start.character)));
  const { resolve: _, ...resolved } = chip;
  return whole ? { ...resolved, ...part(uri, whole, chip.label, 'symbol') } : resolved;
}

async function symbols(query: string): Promise<Chip[]> {
  const found =
    (await vscode.commands.executeCommand<vscode.SymbolInformation[] | undefined>('vscode.executeWorkspaceSymbolProvider', query)) ?? [];
  return found
    .filter(({ location }) => vscode.workspace.getWorkspaceFolder(location.uri))
    .slice(0, maxSymbols)
    .map(({ name, location }) => ({ ...part(location.uri, location.range, name, 'symbol'), resolve: true as const }));
}

/** Returns the lines of the innermost declaration at a position, as far as the language knows them. */
export async function declaration(uri: vscode.Uri, at: vscode.Position): Promise<vscode.Range | undefined> {
  const roots = await vscode.commands.executeCommand<vscode.DocumentSymbol[] | undefined>('vscode.executeDocumentSymbolProvider', uri);
  let whole: vscode.Range | undefined;
  let level = roots ?? [];
  for (;;) {
    const around = level.find((symbol) => symbol.range?.contains(at));
    if (!around) {
      return whole;
    }
    whole = around.range;
    level = around.selectionRange.contains(at) ? [] : around.children;
  }
}

/** A chip for some lines of a file. */
export function part(uri: vscode.Uri, of: vscode.Range, name: string, kind: string): Chip {
  const [first, last] = lines(of);
  const detail = first === last ? `${label(uri)}:${first}` : `${label(uri)}:${first}-${last}`;
  return {
    id: `${kind}:${uri.toString()}:${first}-${last}`,
    kind,
    label: name,
    detail,
    block: {
      type: 'resource_link',
      uri: uri.toString(),
      name: detail,
      _meta: { range: range(of), emendo: { kind, label: name } },
    },
  };
}

function selected(uri: vscode.Uri, selections: readonly vscode.Selection[]): Chip[] {
  return selections
    .filter((selection) => !selection.isEmpty)
    .map((selection) => {
      const [first, last] = lines(selection);
      const name = label(uri);
      return part(uri, selection, `${name.slice(name.lastIndexOf('/') + 1)}:${first === last ? first : `${first}-${last}`}`, 'selection');
    });
}

/** The problems of the active file, and those of all files. */
function problems(active: vscode.Uri | undefined): Chip[] {
  const severe = (found: readonly vscode.Diagnostic[]): vscode.Diagnostic[] =>
    found.filter(({ severity }) => severity <= vscode.DiagnosticSeverity.Warning);
  const chip = (id: string, name: string, files: [vscode.Uri, vscode.Diagnostic[]][]): Chip[] => {
    const all = files.flatMap(([uri, found]) => found.map((one) => describe(uri, one)));
    if (all.length === 0) {
      return [];
    }
    const shown = all.slice(0, maxProblems);
    if (shown.length < all.length) {
      shown.push(`(${all.length - shown.length} left out)`);
    }
    const resource = { uri: id, mimeType: 'text/plain', text: `${shown.join('\n')}\n` };
    const block = { type: 'resource' as const, resource, _meta: { emendo: { kind: 'problems', label: name } } };
    return [{ id, kind: 'problems', label: name, detail: `${all.length}`, block }];
  };
  const everywhere = vscode.languages
    .getDiagnostics()
    .map(([uri, found]): [vscode.Uri, vscode.Diagnostic[]] => [uri, severe(found)]);
  const here = everywhere.filter(([uri]) => uri.toString() === active?.toString());
  return [
    ...chip('problems:active', vscode.l10n.t('Problems of the file'), here),
    ...chip('problems', vscode.l10n.t('Problems of the workspace'), everywhere),
  ];
}

/** A file's name in text for the model, which knows the workspace's folders by their paths only. */
function nameForModel(uri: vscode.Uri): string {
  return (vscode.workspace.workspaceFolders ?? []).length > 1 && uri.scheme === 'file' ? uri.fsPath : label(uri);
}

function describe(uri: vscode.Uri, { range, severity, message, source }: vscode.Diagnostic): string {
  const kind = severity === vscode.DiagnosticSeverity.Error ? 'error' : 'warning';
  return `${nameForModel(uri)}:${range.start.line + 1}:${range.start.character + 1}: ${kind}: ${message}${source ? ` (${source})` : ''}`;
}
