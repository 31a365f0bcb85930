/** Where a link of the model's text leads: to the web, to a file, or nowhere. */
export type Target =
  | { kind: 'web'; href: string }
  | { kind: 'file'; path: string; line?: number; column?: number; endLine?: number }
  | { kind: 'none' };

const none: Target = { kind: 'none' };

/** What a path ends with: `:12`, `:12:3`, `:12-15`, `#L12`, `#L12-L15`, `#12`. */
const place = /(?::(\d{1,7})(?::(\d{1,7})|-(\d{1,7}))?|#L?(\d{1,7})(?:C\d+)?(?:-L?(\d{1,7}))?)$/;

/** A scheme, of two letters or more: a letter and a colon begin a path of Windows. */
const scheme = /^[a-z][a-z0-9+.-]+:/i;

/**
 * Returns what a link's address stands for. Only http, https and paths of files
 * are opened; whatever else it says (`command:`, `javascript:`, `data:`) is text.
 */
export function classify(address: string): Target {
  let text = address.trim();
  if (/^https?:\/\//i.test(text)) {
    return URL.canParse(text) ? { kind: 'web', href: text } : none;
  }
  if (/^file:\/\/\//i.test(text)) {
    text = text.slice('file://'.length).replace(/^\/([a-z](?::|%3a))/i, '$1');
  } else if (scheme.test(text) && !namesLine(text)) {
    return none;
  }
  if (text === '' || text.startsWith('#') || text.startsWith('//') || text.startsWith('\\\\')) {
    return none;
  }
  let path: string;
  try {
    path = decodeURIComponent(text);
  } catch {
    path = text;
  }
  const found = place.exec(path);
  if (found) {
    path = path.slice(0, found.index);
  }
  // eslint-disable-next-line no-control-regex
  if (path === '' || /[\u0000-\u001f]/.test(path) || (scheme.test(path) && !/^[a-z]:/i.test(path))) {
    return none;
  }
  const number = (text: string | undefined): number | undefined => (text === undefined ? undefined : Number(text));
  const line = number(found?.[1] ?? found?.[4]);
  const column = number(found?.[2]);
  const endLine = number(found?.[3] ?? found?.[5]);
  return {
    kind: 'file',
    path,
    ...(line === undefined ? {} : { line }),
    ...(column === undefined ? {} : { column }),
    ...(endLine === undefined ? {} : { endLine }),
  };
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
  return classify(code.replaceAll('%', '%25'));
}

const pictures = /^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+$/;

/** Whether an address is a picture in itself, of a kind that may be shown. */
export function isPicture(address: string): boolean {
  return pictures.test(address);
}
