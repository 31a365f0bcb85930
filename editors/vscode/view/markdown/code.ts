import { visible } from '../../src/shared/visible';
import { t, words } from '../strings';
import { cut, pieces } from './cut';
import { grow } from './morph';
import { highlight } from './highlight';
import { languageOf } from './render';

/** What the buttons of a block of code do. */
export interface CodeActions {
  copy(text: string): void;
  insert(text: string): void;
  /** `info` has the words after the fence, `before` the line above it. */
  apply?(text: string, info: string, before: string): void;
}

const blocks = new WeakMap<Element, CodeBlock>();

/** The block of code that an element is. */
export function codeBlockOf(element: Element): CodeBlock | undefined {
  return blocks.get(element);
}

/**
 * A block of code: its language, buttons, and the code as text, never as HTML.
 * It can grow while it streams; once it is whole it is highlighted.
 */
export class CodeBlock {
  readonly element = document.createElement('div');
  private readonly code = document.createElement('code');
  private readonly text = document.createTextNode('');
  private readonly more = document.createElement('button');
  /** All of the code, as the model wrote it. */
  source = '';
  private whole = false;
  /** How many characters are not shown, and whether all that come later are not. */
  private hidden = 0;
  private full = false;

  private readonly language: string;

  constructor(
    readonly info: string,
    before: string,
    actions: CodeActions,
  ) {
    const language = languageOf(info);
    this.language = language;
    this.element.className = 'code';
    this.element.dataset['code'] = '';
    blocks.set(this.element, this);
    const head = document.createElement('div');
    head.className = 'code-head';
    const name = document.createElement('span');
    name.className = 'code-language';
    name.textContent = visible(language);
    head.append(
      name,
      button('copy', t('Copy'), () => actions.copy(this.source)),
      button('insert', t(words.insertAtCursor), () => actions.insert(this.source)),
      ...(actions.apply ? [button('git-pull-request-create', t(words.applyCode), () => actions.apply!(this.source, info, before))] : []),
    );
    const pre = document.createElement('pre');
    pre.tabIndex = 0;
    pre.setAttribute('role', 'region');
    pre.setAttribute('aria-label', language === '' ? t('Code') : t(words.codeIn, visible(language)));
    this.code.append(this.text);
    pre.append(this.code);
    this.more.className = 'code-more';
    this.more.type = 'button';
    this.more.hidden = true;
    this.more.addEventListener('click', () => this.showAll());
    this.element.append(head, pre, this.more);
  }

  /** Whether it can go on as a block with this info and text. */
  continues(info: string, text: string): boolean {
    return !this.whole && info === this.info && text.startsWith(this.source);
  }

  /** Gives it more text, or all of it. */
  update(text: string, whole: boolean): void {
    if (text !== this.source) {
      this.show(text);
      this.source = text;
    }
    if (whole) {
      this.complete();
    }
  }

  /** Takes its text as all of it. */
  complete(): void {
    if (!this.whole) {
      this.whole = true;
      if (this.more.hidden) {
        highlight(this.code, this.text.data, this.language);
      }
    }
  }

  /** Shows a text that continues the one that is shown. What was shown and what was cut off stay so. */
  private show(text: string): void {
    const added = text.slice(this.source.length);
    if (this.full) {
      this.hidden += added.length;
    } else {
      const shown = cut(text);
      if (shown.hidden === 0) {
        this.text.appendData(visible(added));
      } else {
        grow(this.text, visible(shown.text));
        this.hidden = shown.hidden;
        this.full = shown.full;
      }
    }
    this.more.hidden = this.hidden === 0;
    this.more.textContent = t(words.allCharacters, this.hidden.toLocaleString());
  }

  private showAll(): void {
    this.code.replaceChildren(
      ...pieces(visible(this.source)).map((piece) => {
        const part = document.createElement('span');
        part.className = 'code-piece';
        part.textContent = piece;
        return part;
      }),
    );
    this.code.classList.add('all');
    this.more.hidden = true;
    this.code.parentElement?.focus();
  }
}

function button(icon: string, label: string, act: () => void): HTMLButtonElement {
  const made = document.createElement('button');
  made.type = 'button';
  made.className = 'icon-button';
  made.title = label;
  made.setAttribute('aria-label', label);
  const glyph = document.createElement('span');
  glyph.className = `codicon codicon-${icon}`;
  glyph.setAttribute('aria-hidden', 'true');
  made.append(glyph);
  made.addEventListener('click', act);
  return made;
}
