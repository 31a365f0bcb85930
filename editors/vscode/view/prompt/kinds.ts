/** The icon of a kind that can be added to a prompt. */
export function iconOf(kind: string): string {
  return icons[kind] ?? 'note';
}

const icons: Record<string, string> = {
  command: 'terminal-bash',
  editor: 'go-to-file',
  file: 'file',
  folder: 'folder',
  image: 'file-media',
  paste: 'clippy',
  problems: 'warning',
  selection: 'list-selection',
  symbol: 'symbol-method',
  terminal: 'terminal',
};
