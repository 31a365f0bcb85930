/**
 * Returns a block that is still being written as it will most likely look: an
 * emphasis, code or link that is not closed yet is closed, and a table is a table
 * from its first row on. What has been written already does not change its look
 * when the rest comes.
 */
export function finished(block: string): string {
  return closeInline(closeTable(withoutRule(block)));
}

/** Drops dashes below a text: they are a list's next item more often than a heading's line. */
function withoutRule(block: string): string {
  const end = block.lastIndexOf('\n');
  const above = block.slice(block.lastIndexOf('\n', end - 1) + 1, Math.max(0, end));
  return above.trim() !== '' && /^ {0,3}(?:-{1,2}|=+|[*+]) *$/.test(block.slice(end + 1)) ? block.slice(0, end) : block;
}

/** Adds the line below a table's first row, or what it lacks. */
function closeTable(block: string): string {
  const lines = block.split('\n');
  const [head, rule] = lines;
  if (lines.length > 2 || !head || !/^ {0,3}\|.*\S/.test(head)) {
    return block;
  }
  if (rule !== undefined && !/^[\s|:-]*$/.test(rule)) {
    return block;
  }
  const columns = head.trim().replace(/^\||\|$/g, '').split(/(?<!\\)\|/).length;
  return `${head.trimEnd()}${head.trimEnd().endsWith('|') ? '' : ' |'}\n|${' --- |'.repeat(columns)}`;
}

/** A longer line is not searched for what is open: with many marks in it that takes too long. */
const longest = 4_000;

/** Closes what is open in the last paragraph, or in the last line of a long one. */
function closeInline(block: string): string {
  let from = block.lastIndexOf('\n\n') + 1;
  let text = block.slice(from);
  if (/^ *(`{3,}|~{3,})/m.test(text) || /^( {4}|\t)/.test(text)) {
    return block; // code stays as it is
  }
  if (text.length > longest) {
    from = block.lastIndexOf('\n') + 1;
    text = block.slice(from);
  }
  if (text.length > longest) {
    return block;
  }
  text = text.replace(/!?\[([^\]\n]*)\]\([^)\s]*$/, '$1').replace(/!\[([^\]\n]*)\]?$/, '$1');
  const outside = text.replace(/(`+)(?:(?!\1)[\s\S])*?\1(?!`)/g, (code) => 'x'.repeat(code.length));
  const ticks = /`+(?=[^`]*$)/.exec(outside);
  if (ticks) {
    text = text.length > ticks.index + ticks[0].length ? text + ticks[0] : text.slice(0, ticks.index);
    return block.slice(0, from) + text;
  }
  for (const mark of ['**', '~~', '*']) {
    text = closeMark(text, outside, mark);
  }
  return block.slice(0, from) + text;
}

function closeMark(text: string, outside: string, mark: string): string {
  const plain = mark === '*' ? outside.replaceAll('**', '  ').replace(/^(\s*)\*(?=\s)/gm, '$1 ') : outside;
  const at = plain.lastIndexOf(mark);
  const count = plain.split(mark).length - 1;
  if (count % 2 === 0) {
    return text;
  }
  const rest = plain.slice(at + mark.length);
  if (rest.trim() === '') {
    return text.slice(0, at) + text.slice(at + mark.length);
  }
  if (/^\s/.test(rest)) {
    return text; // it begins nothing
  }
  return text.trimEnd() + mark;
}
