/**
 * Spells out characters that are not seen or that move the text around them, so
 * that nothing which the user decides on looks like something else.
 */

/** What is not seen, or looks like a space. The ideographic space is in common use and is left. */
const hidden = /[\p{Cc}\p{Cf}\p{Co}\p{Zs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u{2800}\u{E0000}-\u{E0FFF}]/gu;
const lone = /\p{Cs}/gu;

/** The selectors of a picture's form are left behind a symbol. */
const afterSymbol = /[\p{S}\p{Po}]$/u;

function spell(character: string): string {
  return `\\u{${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}}`;
}

/** Returns a text with its hidden characters as `\u{…}`. Line ends and tabs stay. */
export function visible(text: string): string {
  return text.replace(/[^\n\t\x20-\x7E]+/g, spellHidden); // most text is plain, and is passed over quickly
}

function spellHidden(text: string): string {
  return text.replace(lone, '\uFFFD').replace(hidden, (character, at: number, whole: string) => {
    switch (character) {
      case ' ':
      case '\n':
      case '\t':
      case '\u3000':
        return character;
      case '\uFE0E':
      case '\uFE0F': {
        const before = [...whole.slice(Math.max(0, at - 2), at)].at(-1) ?? '';
        return before > '\u007F' && afterSymbol.test(before) ? character : spell(character);
      }
      default:
        return spell(character);
    }
  });
}

/** Returns a text for one line, such as a file's name: line ends, tabs and all selectors are spelled out too. */
export function visibleLine(text: string): string {
  return visible(text).replace(/[\n\t\uFE0E\uFE0F]/g, spell);
}

/** Returns a text in which nothing is a link where `[text](address)` is one, as in VS Code's notices. */
export function withoutLinks(text: string): string {
  return text.replaceAll('](', '] (');
}
