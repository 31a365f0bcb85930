import type { GrammarState, HighlighterCore } from 'shiki/core';
import type { BundledLanguage } from 'shiki/langs';

/** Longer code stays plain: colours would cost more than they help. */
const longest = 60_000;
/** Lines that are coloured before the clock is looked at. */
const slice = 8;
const budgetMs = 6;
/** A few lines that take longer will not get better: the grammar is too slow for this code. */
const tooSlowMs = 1500;

/** What fences call languages beside the names that Shiki knows. */
const aliases: Readonly<Record<string, string>> = { cc: 'cpp', ex: 'elixir', golang: 'go', h: 'c', hpp: 'cpp', patch: 'diff', pl: 'perl', svg: 'xml' };

let highlighter: Promise<HighlighterCore> | undefined;

interface Job {
  code: HTMLElement;
  text: string;
  language: string;
}

const jobs: Job[] = [];
let working = false;

/**
 * Colours a block of code when the page has time for it. The element has the
 * code as text already and keeps it if anything goes wrong.
 */
export function highlight(code: HTMLElement, text: string, language: string): void {
  if (language !== '' && text.length <= longest) {
    jobs.push({ code, text, language: (Object.hasOwn(aliases, language) && aliases[language]) || language });
    void work();
  }
}

async function work(): Promise<void> {
  if (working) {
    return;
  }
  working = true;
  for (let job = jobs.pop(); job; job = jobs.pop()) {
    try {
      await colour(job);
    } catch (error) {
      console.error('highlighting', job.language, error);
    }
  }
  working = false;
}

async function colour({ code, text, language }: Job): Promise<void> {
  const { create, languages } = await import('./shiki');
  if (!Object.hasOwn(languages, language)) {
    return;
  }
  const shiki = await (highlighter ??= create());
  await shiki.loadLanguage(languages[language as BundledLanguage]);
  const lines = text.split('\n');
  const result = document.createDocumentFragment();
  let state: GrammarState | undefined;
  let deadline = await turn();
  for (let at = 0; at < lines.length; at += slice) {
    if (performance.now() > deadline) {
      deadline = await turn();
      if (!code.isConnected) {
        return;
      }
    }
    const began = performance.now();
    const part = lines.slice(at, at + slice).join('\n');
    const { tokens, grammarState } = shiki.codeToTokens(part, {
      lang: language,
      theme: 'editor',
      tokenizeMaxLineLength: 2_000,
      ...(state ? { grammarState: state } : {}),
    });
    if (performance.now() - began > tooSlowMs) {
      return;
    }
    state = grammarState;
    for (const [index, line] of tokens.entries()) {
      if (at + index > 0) {
        result.append('\n');
      }
      for (const { content, color, fontStyle } of line) {
        result.append(coloured(content, color, fontStyle ?? 0));
      }
    }
  }
  if (result.textContent === text) {
    code.replaceChildren(result);
  }
}

function coloured(text: string, color: string | undefined, fontStyle: number): Node {
  const name = /^var\(--code-token-([a-z-]+)\)$/.exec(color ?? '')?.[1];
  if (name === undefined && fontStyle <= 0) {
    return document.createTextNode(text);
  }
  const span = document.createElement('span');
  span.className = [name && `token-${name}`, fontStyle & 1 && 'italic', fontStyle & 2 && 'bold'].filter(Boolean).join(' ');
  span.textContent = text;
  return span;
}

/** Waits until the page has nothing better to do, and returns when its time is over. */
function turn(): Promise<number> {
  return new Promise((resolve) => requestIdleCallback(() => resolve(performance.now() + budgetMs), { timeout: 500 }));
}
