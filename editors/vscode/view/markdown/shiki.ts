import { createCssVariablesTheme, createHighlighterCore, type HighlighterCore } from 'shiki/core';
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript';

/** Each language is a file of its own, loaded when it is first shown. */
export { bundledLanguages as languages } from 'shiki/langs';

/** What is loaded when the first code is highlighted. Colours are CSS variables, which markdown.css takes from the editor's theme. */
export function create(): Promise<HighlighterCore> {
  return createHighlighterCore({
    themes: [createCssVariablesTheme({ name: 'editor', variablePrefix: '--code-', fontStyle: true })],
    langs: [],
    engine: createJavaScriptRegexEngine({ forgiving: true }),
  });
}
