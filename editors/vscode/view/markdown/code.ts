import { visible } from '../../src/shared/visible';
import { t, words } from '../strings';
import { pieces } from './pieces';
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
  /** Grows with the code. */
  private end = document.createTextNode('');
  /** All of the code, as the model wrote it. */
  source = '';
  private whole = false;
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
    this.code.append(this.piece(''));
    pre.append(this.code);
    this.element.append(head, pre);
  }

  /** Whether it can go on as a block with this info and text. */
  continues(info: string, text: string): boolean {
    return !this.whole && info === this.info && text.startsWith(this.source);
  }

  /** Gives it more text, or all of it. */
  update(text: string, whole: boolean): void {
    const [rest = '', ...more] = pieces(this.end.data + visible(text.slice(this.source.length)));
    grow(this.end, rest);
    for (const piece of more) {
      this.code.append(this.piece(piece));
    }
    this.code.classList.toggle('long', this.code.childNodes.length > 1);
    this.source = text;
    if (whole) {
      this.complete();
    }
  }

  /** Takes its text as all of it. */
  complete(): void {
    if (!this.whole) {
      this.whole = true;
      highlight(this.code, this.code.textContent, this.language);
    }
  }

  /** Begins a piece, of which the browser passes over those that are out of sight. */
  private piece(text: string): HTMLElement {
    const piece = document.createElement('span');
    piece.className = 'code-piece';
    this.end = document.createTextNode(text);
    piece.append(this.end);
    return piece;
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
