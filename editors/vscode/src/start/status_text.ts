import type { ServerState } from '../shared/messages';
import type { Status } from '../shared/wire';
import { words } from '../shared/words';

/** What the status bar shows is about. */
export interface Shown {
  server: ServerState;
  /** What the running server said last; undefined while none runs. */
  status: Status | undefined;
  /** Whether the window has a folder on a disk. */
  folder: boolean;
  trusted: boolean;
  /** The questions that wait for the user. */
  questions: number;
}

export type Look = 'plain' | 'warning' | 'error';

/** An icon's name, what stands next to it, and how it looks. */
export interface Item {
  icon: string;
  label: string;
  look: Look;
}

/** Translates a text, and puts values in place of {0} and so on. */
export type Translate = (text: string, ...values: (string | number)[]) => string;

/** Returns what the status bar shows: that which needs the user, before what is merely so. */
export function statusItem({ server, status, folder, questions }: Shown, t: Translate): Item {
  if (server.state === 'failed') {
    return { icon: 'error', label: t(words.stopped), look: 'error' };
  }
  if (server.state === 'unsupported') {
    return { icon: 'circle-slash', label: 'Emendo', look: 'plain' };
  }
  if (server.state === 'starting') {
    return { icon: 'loading~spin', label: 'Emendo', look: 'plain' };
  }
  if (questions > 0) {
    return { icon: 'bell-dot', label: questions === 1 ? t('Emendo: 1 question') : t('Emendo: {0} questions', questions), look: 'warning' };
  }
  const hunks = status?.pendingHunks ?? 0;
  switch (status?.kind) {
    case 'signed_out':
      return { icon: 'key', label: t('Emendo: sign in'), look: 'warning' };
    case 'error':
      return { icon: 'error', label: 'Emendo', look: 'error' };
    case 'warning':
      return { icon: 'warning', label: 'Emendo', look: 'warning' };
    case 'busy':
      return { icon: 'loading~spin', label: hunks > 0 ? t('Emendo: {0} to review', hunks) : t('Emendo: working'), look: 'plain' };
  }
  if (hunks > 0) {
    return { icon: 'diff', label: t('Emendo: {0} to review', hunks), look: 'plain' };
  }
  if (status?.kind === 'restricted' && folder) {
    return { icon: 'shield', label: 'Emendo', look: 'plain' };
  }
  return { icon: 'edit', label: 'Emendo', look: 'plain' };
}

/** Returns the lines of the tooltip, which is also what a screen reader says. */
export function statusLines({ server, status, folder, trusted }: Shown, modes: { id: string; name: string }[], t: Translate): string[] {
  const lines: string[] = [];
  switch (server.state) {
    case 'failed':
    case 'unsupported':
      lines.push(server.message);
      break;
    case 'stopped':
      lines.push(t(words.notStarted));
      break;
    case 'starting':
      lines.push(t(words.starting));
      break;
    case 'running':
      // A window without a folder is not restricted by a choice of the user's.
      if (status && (status.kind !== 'restricted' || folder)) {
        lines.push(status.message);
      }
  }
  if (server.state !== 'unsupported' && !folder) {
    lines.push(t('No folder is open: Emendo answers about open files and text. To search, edit and run commands it needs a folder.'));
  } else if (server.state !== 'unsupported' && !trusted) {
    lines.push(t('The workspace is not trusted: Emendo reads it and proposes edits, and runs no commands.'));
  }
  const mode = modes.find(({ id }) => id === status?.mode)?.name ?? status?.mode;
  if (mode) {
    lines.push(t(words.modeName, mode));
  }
  if (status?.model) {
    lines.push(t(words.modelName, status.model));
  }
  if (status?.usage && status.usage.contextLimit > 0 && status.usage.totalTokens > 0) {
    lines.push(t('Tokens so far: {0}', status.usage.totalTokens));
  }
  if (status?.pendingHunks) {
    lines.push(status.pendingHunks === 1 ? t('1 change waits for your decision.') : t('{0} changes wait for your decision.', status.pendingHunks));
  }
  return lines;
}
