/** Context for `@` that only the editor knows. */
import * as vscode from 'vscode';
import type { Chip } from '../shared/messages';
import { label, lineNumbers, openFiles, range } from './context';
import { link } from './attach';
import { terminalSelection } from './terminal';
import { words } from '../shared/words';

/** Symbols are looked for from this many characters on: language servers return everything for none. */
const minSymbol = 2;
const maxSymbols = 12;

/**
 * Returns what the editor offers for the word behind an `@`. Symbols and the
 * terminal's selection have `resolve`: what they stand for is looked up when
 * the user chooses them.
 */
export async function complete(query: string): Promise<Chip[]> {
  const word = query.toLowerCase();
  const items: Chip[] = [];
  if (vscode.window.activeTerminal && ['terminal', 'selection'].some((name) => name.startsWith(word))) {
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
  const numbers = lineNumbers(of);
  const detail = `${label(uri)}:${numbers}`;
  return {
    id: `${kind}:${uri.toString()}:${numbers}`,
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
