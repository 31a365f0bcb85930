import { visibleLine, withoutLinks } from './shared/visible';
import type { AskedQuestion } from './shared/messages';
import type { PermissionOption, PermissionPreview, PermissionRequest } from './shared/wire';

/** What a question is about, in short. */
export interface Subject {
  kind: 'command' | 'read' | 'network' | 'mcp' | 'start' | 'plan' | 'edit' | 'call' | 'model' | 'form';
  /** The command, the paths and so on, in one line; empty where the kind says it all. */
  text: string;
  /** Whether `text` is all that there is to know. */
  whole: boolean;
}

/** Longer subjects are cut. */
const longest = 160;

/** Returns what a question is about. */
export function subject(asked: AskedQuestion): Subject {
  if (asked.kind === 'elicit') {
    const { questions, toolCallId } = asked.request;
    return cut(toolCallId === undefined ? 'form' : 'model', questions[0]?.question ?? '', false);
  }
  const { preview = {}, toolCall } = asked.request;
  if (preview.command !== undefined) {
    return cut('command', preview.command, isPlain(preview) && toolCall._meta?.emendo?.sandbox !== 'C');
  }
  if (preview.skill !== undefined) {
    return cut('call', toolCall.title ?? preview.skill, true);
  }
  if (preview.paths) {
    return cut('read', preview.paths.join(', '), true);
  }
  if (preview.text !== undefined) {
    return cut('network', [...(preview.urls ?? []), preview.text].join(' '), false);
  }
  if (preview.urls) {
    return cut('network', preview.urls.join(', '), true);
  }
  if (preview.serverName !== undefined) {
    return cut('mcp', `${preview.serverName}: ${preview.toolName ?? ''}`, false);
  }
  if (preview.executable) {
    return cut('start', preview.executable.name, false);
  }
  if (preview.planUri !== undefined) {
    return { kind: 'plan', text: '', whole: false };
  }
  if (preview.changeSetId !== undefined) {
    return cut('edit', toolCall.title ?? '', false);
  }
  return cut('call', toolCall.title ?? '', false);
}

/** Reports whether a command has nothing beside its text that the user should see first. */
function isPlain({ saves = [], unsaved = [], commands = [] }: PermissionPreview): boolean {
  return saves.length === 0 && unsaved.length === 0 && commands.every(({ decision }) => decision !== 'deny');
}

/** Cuts a text to one line. What could be a link is not whole: it is shown as it is in the view alone. */
function cut(kind: Subject['kind'], text: string, plain: boolean): Subject {
  const lines = text.trim().split('\n');
  const line = withoutLinks(visibleLine(lines[0] ?? ''));
  const characters = [...line];
  const whole = plain && lines.length === 1 && characters.length <= longest && !text.includes('](');
  return { kind, text: characters.length > longest || lines.length > 1 ? `${characters.slice(0, longest).join('')}…` : line, whole };
}

/** A reason that is longer than this is read in the view. */
const longestReason = 200;

/**
 * The options that may be chosen without seeing the whole question: one that
 * allows and one that rejects, for this once, of a question that a notice shows
 * in full.
 */
export function simpleOptions(asked: AskedQuestion): PermissionOption[] {
  if (asked.kind === 'elicit' || !subject(asked).whole || reason(asked.request).length > longestReason) {
    return [];
  }
  const { options } = asked.request;
  const once = (['allow_once', 'reject_once'] as const).map((kind) => options.find((option) => option.kind === kind));
  return once.filter((option) => option !== undefined);
}

/** Why a question is asked, in one line that a notice may show. */
export function reason({ toolCall }: PermissionRequest): string {
  return withoutLinks(visibleLine(toolCall._meta?.emendo?.reason?.trim().replace(/\s+/g, ' ') ?? ''));
}

/** Returns a text that is not ours, such as a title, as a notice may show it. */
export function plainLine(text: string): string {
  return cut('call', text, false).text;
}
