/** Where a link of the model's text leads: to the web, to something that the server finds, or nowhere. */
export type Target = { kind: 'web' | 'file'; address: string } | { kind: 'none' };

const none: Target = { kind: 'none' };

/** A scheme, of two letters or more: a letter and a colon begin a path of Windows. */
const scheme = /^[a-z][a-z0-9+.-]+:/i;

/**
 * Returns what a link's address stands for. Only http, https and paths of files
 * are opened; whatever else it says (`command:`, `javascript:`, `data:`) is text.
 */
export function classify(address: string): Target {
  const text = address.trim();
  if (/^https?:\/\//i.test(text)) {
    return URL.canParse(text) ? { kind: 'web', address: text } : none;
  }
  const path = unescaped(text);
  const foreign = scheme.test(path) && !namesLine(path) && !/^file:\/\/\//i.test(path);
  // eslint-disable-next-line no-control-regex
  return foreign || path === '' || /^(?:#|\/\/|\\\\)|[\u0000-\u001f]/.test(path) ? none : { kind: 'file', address: text };
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Whether what looks like a scheme is a file's name before a line: `main.go:12`. */
function namesLine(text: string): boolean {
  return /^[\w.+-]+\.\w+:\d+(?::\d+|-\d+)?$/.test(text);
}

/** A name in code that can be opened: it has an extension, and a folder or a line. */
const named = /^(?:[\w.@+~-]*[/\\])*[\w.@+-]*\.[A-Za-z]\w{0,9}(?::\d{1,7}(?::\d{1,7}|-\d{1,7})?|#L\d{1,7}(?:-L?\d{1,7})?)?$/;

/** Returns the file that code in the middle of a sentence names, if it looks like one. */
export function fileOfCode(code: string): Target {
  if (code.length > 300 || !named.test(code) || !/[/\\]|:\d|#L/.test(code)) {
    return none;
  }
  return classify(code);
}

const pictures = /^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+$/;

/** Whether an address is a picture in itself, of a kind that may be shown. */
export function isPicture(address: string): boolean {
  return pictures.test(address);
}
