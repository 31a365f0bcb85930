import type { ServerState } from '../shared/messages';
import type { Item } from '../shared/view';
import { words } from '../shared/words';

/** An icon's name, what stands next to it, how it looks, and the lines of its tooltip, which a screen reader says too. */
export interface Shown {
  icon: string;
  label: string;
  look: 'plain' | 'warning' | 'error';
  lines: string[];
}

/** Translates a text. */
type Translate = (text: string) => string;

/** How looks of the window's status are drawn. */
const looks: Record<string, Pick<Shown, 'icon' | 'look'>> = {
  error: { icon: 'error', look: 'error' },
  warning: { icon: 'bell-dot', look: 'warning' },
  signed_out: { icon: 'key', look: 'warning' },
  edit: { icon: 'diff', look: 'plain' },
  restricted: { icon: 'shield', look: 'plain' },
};

/** Returns what the status bar shows: the window's status, or why no server gives one. */
export function statusShown(server: ServerState, status: Item | undefined, t: Translate): Shown {
  switch (server.state) {
    case 'failed':
      return { icon: 'error', label: t(words.stopped), look: 'error', lines: [server.message] };
    case 'unsupported':
      return { icon: 'circle-slash', label: 'Emendo', look: 'plain', lines: [server.message] };
    case 'stopped':
      return { icon: 'edit', label: 'Emendo', look: 'plain', lines: [t(words.notStarted)] };
    case 'starting':
      return { icon: 'loading~spin', label: 'Emendo', look: 'plain', lines: [t(words.starting)] };
  }
  const { look = '', state, title, lines = [] } = status ?? { title: { text: '' } };
  return {
    ...(looks[look] ?? { icon: 'edit', look: 'plain' }),
    ...(state === 'running' && { icon: 'loading~spin' }),
    label: title.short ? `Emendo: ${title.short}` : 'Emendo',
    lines: [...new Set([title.text, ...lines.map(({ label, text }) => (label ? `${label.text}: ${text.text}` : text.text))])].filter((line) => line !== ''),
  };
}
