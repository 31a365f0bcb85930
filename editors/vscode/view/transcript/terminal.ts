/** What a program wrote to a terminal, as plain text: without colours, and lines that were written again as they were last. */
export function plainOutput(text: string): string {
  return text
    .replace(sequences, '')
    .replace(/\r+\n/g, '\n')
    .replace(/^[^\n]*\r(?=[^\n])/gm, '')
    .replace(/\r/g, '');
}

const escape = '\\u001B';
const bell = '\\u0007';
/** Control sequences, titles and links, and other escapes. */
const sequences = new RegExp(`${escape}(?:\\[[0-?]*[ -/]*[@-~]|\\][^${bell}${escape}]*(?:${bell}|${escape}\\\\)|[@-Z\\\\^_])`, 'g');

/** How much of an output is shown at first. */
const shownCharacters = 20_000;

/** The end of an output that is shown, and how many characters come before it. */
export function shownOutput(text: string, most = shownCharacters): { text: string; hidden: number } {
  if (text.length <= most) {
    return { text, hidden: 0 };
  }
  const line = text.indexOf('\n', text.length - most);
  let at = line >= 0 && line < text.length - most / 2 ? line + 1 : text.length - most;
  if (/[\uDC00-\uDFFF]/.test(text[at]!)) {
    at++;
  }
  return { text: text.slice(at), hidden: at };
}
