/** Kinds of context: icons, and names for people. */
import { t } from '../strings';

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

/** The name of a kind of what the model is sent: docs/protocol.md, emendo/context/list. */
export function kindName(kind: string): string {
  const names: Record<string, string> = {
    prompt: t('Prompt'),
    system: t('System prompt'),
    tools: t('Tools'),
    context_file: t('Instructions'),
    memory: t('Memory'),
    environment: t('Environment'),
    folders: t('Folder tree'),
    editor: t('What the editor shows'),
    linked: t('Attached files'),
    decisions: t('Decisions on edits'),
    hook: t('Hooks'),
    session_start: t('Hooks at the start'),
    cancelled: t('Cancelled turns'),
    summary: t('Summary'),
    tool_result: t('Results of tools'),
    conversation: t('Conversation'),
  };
  return names[kind] ?? kind;
}

/** Where a text comes from; empty for what the user and emendo say themselves. */
export function originName(origin: string): string {
  const names: Record<string, string> = {
    workspace: t('from the workspace'),
    tool: t('from a program'),
    mcp: t('from an MCP server'),
    web: t('from the web'),
  };
  return names[origin] ?? '';
}
