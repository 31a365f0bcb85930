import MarkdownIt, { type Env as ParserEnv, type RendererRule, type Token } from 'markdown-it';
import { visible, visibleLine } from '../../src/shared/visible';
import { t } from '../strings';
import { classify, fileOfCode, isPicture, type Target } from './links';

/** A block of code that was found, for the page to draw in its place. */
export interface Code {
  text: string;
  /** The words after its fence. */
  info: string;
  /** The line above it. */
  before: string;
}

/** What is kept from one part of a text to the next: definitions of links, and the code found. */
export interface Env extends ParserEnv {
  codes: Code[];
  closing?: string[];
}

/** A part of a text between two blocks: where it begins, in UTF-16 units, and its tokens. */
export interface Block {
  start: number;
  tokens: Token[];
}

const md = new MarkdownIt({ html: false, linkify: true });
md.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
md.validateLink = () => true; // every address is classified when it is drawn

const escape = (text: string): string => md.utils.escapeHtml(text);

/** Characters that reorder the text around them. In prose, others that are not seen do no harm. */
const reordering = /[\u202A-\u202E\u2066-\u2069]/g;

function ordered(text: string): string {
  return text.replace(reordering, visible);
}

function prose(text: string): string {
  return escape(ordered(text));
}

/** The attributes of an element that opens a target. It has no address of its own that a browser could follow. */
function opens(target: Target, address: string): string {
  const title = escape(visibleLine(address));
  return target.kind === 'none' ? `class="inert" title="${title}"` : `class="link ${target.kind}" role="link" tabindex="0" data-${target.kind}="${escape(target.address)}" title="${title}"`;
}

const rules = md.renderer.rules as Record<string, RendererRule>;

rules['text'] = (tokens, index) => prose(tokens[index]!.content);

rules['link_open'] = (tokens, index, _options, env) => {
  const address = String(tokens[index]!.attrGet('href') ?? '');
  const target = classify(address);
  const tag = target.kind === 'none' ? 'span' : 'a';
  ((env as Env).closing ??= []).push(tag);
  return `<${tag} ${opens(target, address)}>`;
};
rules['link_close'] = (_tokens, _index, _options, env) => `</${(env as Env).closing?.pop() ?? 'span'}>`;

rules['image'] = (tokens, index) => {
  const token = tokens[index]!;
  const address = String(token.attrGet('src') ?? '');
  const alt = token.content;
  if (isPicture(address)) {
    return `<img src="${escape(address)}" alt="${prose(alt)}">`;
  }
  const target = classify(address);
  const shown = escape(shortAddress(address));
  const link = target.kind === 'none' ? shown : `<a ${opens(target, address)}>${shown}</a>`;
  return `<span class="no-picture">${prose(alt || t('Picture'))} (${link})</span>`;
};

/** The address of a picture that is not shown. */
function shortAddress(address: string): string {
  return visibleLine(address.length > 200 ? `${address.slice(0, 200)}…` : address);
}

rules['code_inline'] = (tokens, index) => {
  const { content } = tokens[index]!;
  const code = `<code>${escape(visible(content))}</code>`;
  const target = fileOfCode(content);
  return target.kind === 'none' ? code : `<a ${opens(target, content)}>${code}</a>`;
};

rules['fence'] = rules['code_block'] = (tokens, index, _options, env) => {
  const { content, info } = tokens[index]!;
  const { codes } = env as Env;
  const above = tokens.slice(0, index).findLast(({ type }) => type === 'inline')?.content ?? '';
  codes.push({ text: content, info, before: lastLine(above) });
  return `<div data-code="${codes.length - 1}"></div>`;
};

// The turn has the second level, so the answer's own begin at the third: those of
// the first two, which answers begin with, and then those below.
rules['heading_open'] = (tokens, index) => `<h${level(tokens[index]!)} class="level-${tokens[index]!.tag.slice(1)}">`;
rules['heading_close'] = (tokens, index) => `</h${level(tokens[index]!)}>`;

function level(token: Token): number {
  return Math.max(3, Number(token.tag.slice(1)) + 1) - (token.tag === 'h6' ? 1 : 0);
}

rules['table_open'] = () => `<div class="table" role="region" tabindex="0" aria-label="${escape(t('Table'))}"><table>`;
rules['table_close'] = () => '</table></div>';
rules['th_open'] = rules['td_open'] = (tokens, index) => {
  const { tag } = tokens[index]!;
  const align = /right|center/.exec(String(tokens[index]!.attrGet('style') ?? ''))?.[0];
  return align === undefined ? `<${tag}>` : `<${tag} class="${align}">`;
};

/** The only HTML that is not text: models break lines by it where Markdown cannot, in the cells of tables. */
md.inline.ruler.before('html_inline', 'line_break', (state, silent) => {
  const found = /^<br *\/?>/i.exec(state.src.slice(state.pos, state.pos + 12));
  if (!found) {
    return false;
  }
  if (!silent) {
    state.push('hardbreak', 'br', 0);
  }
  state.pos += found[0].length;
  return true;
});

/** Draws the box of an item of a to-do list. */
md.core.ruler.push('tasks', (state) => {
  const { tokens } = state;
  for (const [index, token] of tokens.entries()) {
    const first = token.children?.[0];
    if (token.type === 'inline' && tokens[index - 2]?.type === 'list_item_open' && first?.type === 'text') {
      first.content = first.content.replace(/^\[([ xX])\] /, (_box, mark: string) => (mark === ' ' ? '☐ ' : '☑ '));
    }
  }
});

/** The last line of a text that has something. */
export function lastLine(text: string): string {
  return text.trimEnd().split('\n').at(-1)!;
}

/** The language that a fence names, in lower case. */
export function languageOf(info: string): string {
  return /^[^\s{,:]*/.exec(info.trim())![0].toLowerCase();
}

/** Splits Markdown into its outermost blocks. */
export function parse(text: string, env: Env): Block[] {
  const tokens = md.parse(text, env);
  const starts = lineStarts(text);
  const blocks: Block[] = [];
  for (const token of tokens) {
    if (token.level === 0 && token.nesting >= 0) {
      blocks.push({ start: starts[token.map?.[0] ?? 0] ?? 0, tokens: [] });
    }
    blocks.at(-1)?.tokens.push(token);
  }
  return blocks;
}

/** Returns the HTML of blocks, and adds their code to that of `env`. It has still to be sanitised. */
export function render(blocks: readonly Block[], env: Env): string {
  return blocks.map(({ tokens }) => md.renderer.render(tokens, md.options, env)).join('');
}

/** Returns where the lines of a text begin. */
export function lineStarts(text: string): number[] {
  const starts = [0];
  for (const { index, 0: end } of text.matchAll(/\r\n?|\n/g)) {
    starts.push(index + end.length);
  }
  return starts;
}
