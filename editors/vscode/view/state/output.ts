import type { ToolContent } from '../../src/shared/wire';

/** What a call's content says, all of it together. */
export function contentText(content: readonly ToolContent[] | undefined): string {
  return (content ?? []).flatMap((part) => (part.type === 'content' && part.content.type === 'text' ? [part.content.text] : [])).join('\n');
}

/** Returns the code of a text that is one fenced block, which is how output comes; undefined for other texts. */
export function unfenced(text: string): string | undefined {
  const opening = /^(`{3,})[^`\n]*\n/.exec(text);
  if (!opening) {
    return undefined;
  }
  const [line, fence = ''] = opening;
  const rest = text.trimEnd();
  if (!rest.endsWith(`\n${fence}`) && rest !== line + fence) {
    return undefined;
  }
  const code = rest.slice(line.length, rest.length - fence.length);
  return code.includes(`\n${fence}`) ? undefined : code;
}
