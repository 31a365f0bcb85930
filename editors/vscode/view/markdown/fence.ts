/** A block of code between fences that begins at the margin. */
export interface Fence {
  info: string;
  /** Where the code begins. */
  body: number;
  /** Ends it when a line has nothing else. */
  close: RegExp;
}

/** Returns the fence that opens at an offset, if one does and its first line is whole. */
export function openFence(text: string, at: number): Fence | undefined {
  const opening = /( {0,3})(`{3,}|~{3,})([^\n]*)\n/y;
  opening.lastIndex = at;
  const found = opening.exec(text);
  if (!found) {
    return undefined;
  }
  const [all, indent = '', marks = '', info = ''] = found;
  if (indent !== '' || (marks.startsWith('`') && info.includes('`'))) {
    return undefined; // an indented one is left to the parser, which takes the indent off
  }
  return { info: info.trim(), body: at + all.length, close: new RegExp(`^ {0,3}${marks[0]}{${marks.length},}[ \\t\\r]*(?:\\n|$)`, 'gm') };
}

/**
 * Returns where a fence's code ends and where the text goes on, searching from
 * an offset at which a line begins; undefined while it is open.
 */
export function closeFence(text: string, { close, body }: Fence, from: number): { end: number; next: number } | undefined {
  close.lastIndex = Math.max(body, from);
  const found = close.exec(text);
  return found ? { end: found.index, next: found.index + found[0].length } : undefined;
}
