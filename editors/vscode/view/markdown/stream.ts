import { visible } from '../../src/shared/visible';
import { CodeBlock, codeBlockOf, type CodeActions } from './code';
import { closeFence, openFence } from './fence';
import { goOn, splitList } from './lists';
import { morph } from './morph';
import { lastLine, parse, render, type Block, type Env } from './render';
import { elements } from './sanitise';
import { finished } from './unfinished';

/** How much is parsed at once, in characters, as long as it has a whole block. */
const portion = 2_000;
/** A list that is longer is drawn in parts, so that only its last item is drawn again as it grows. */
const longestList = 8_000;
/** A block that is longer, and is not code, is shown as text. */
const longestBlock = 100_000;
/** Elements in a part; the browser passes over parts that are out of sight. */
const partSize = 40;
/** Time for drawing in one frame, in milliseconds. */
const budget = 8;

/**
 * Draws Markdown that grows. Blocks that are complete are drawn once, into parts
 * that never change again; the last block is drawn again as it grows, with as
 * few changes to the page as possible. Long texts are drawn over several frames.
 */
export class MarkdownStream {
  private text = '';
  private live = false;
  /** Where the first block begins that is not drawn for good. */
  private done = 0;
  /** Up to where the open fence was searched for its end. */
  private searched = 0;
  private env: Env = { codes: [] };
  /** What is drawn now is added to this. */
  private part = newPart();
  /** The last element of the part that is drawn for good. */
  private fixed: ChildNode | null = null;
  private frame = 0;
  /** How much is parsed to find the end of a block: more as long as it has none. */
  private size = portion;
  /** The number with which the rest of an ordered list goes on; undefined if a block begins afresh. */
  private number: number | undefined;
  /** When the unfinished block may be drawn again: one that takes long is drawn less often. */
  private tailAfter = 0;

  constructor(
    private readonly root: HTMLElement,
    private readonly actions: CodeActions,
  ) {
    root.append(this.part);
  }

  /** Shows a text. While it is `live` its end is unfinished. */
  update(text: string, live: boolean): void {
    if (!text.startsWith(this.text)) {
      this.clear();
    }
    if (text !== this.text || live !== this.live) {
      this.text = text;
      this.live = live;
      this.work();
    }
  }

  dispose(): void {
    cancelAnimationFrame(this.frame);
    clearTimeout(this.timer);
  }

  private timer: ReturnType<typeof setTimeout> | undefined;

  private clear(): void {
    this.dispose();
    this.done = this.searched = 0;
    this.size = portion;
    this.number = undefined;
    this.env = { codes: [] };
    this.part = newPart();
    this.fixed = null;
    this.root.replaceChildren(this.part);
  }

  private readonly work = (): void => {
    this.dispose();
    const deadline = performance.now() + budget;
    while (this.done < this.text.length) {
      if (performance.now() > deadline) {
        this.again();
        break;
      }
      const fence = openFence(this.text, this.done);
      if (fence) {
        const closed = closeFence(this.text, fence, this.searched);
        if (!closed && this.live) {
          this.searched = Math.max(this.done, this.text.lastIndexOf('\n') + 1);
          this.code(fence.info, this.text.slice(fence.body), false);
          break;
        }
        this.code(fence.info, this.text.slice(fence.body, closed?.end), true);
        this.finish(closed?.next ?? this.text.length);
        continue;
      }
      const end = this.done + this.size;
      const grows = this.live && end >= this.text.length;
      const began = performance.now();
      if (grows && began < this.tailAfter) {
        this.timer = setTimeout(this.work, this.tailAfter - began);
        break;
      }
      const window = this.text.slice(this.done, end);
      const blocks = parse(grows ? finished(window) : window, this.env);
      if (this.number !== undefined) {
        goOn(blocks[0]?.tokens ?? [], this.number);
      }
      const last = blocks.at(-1);
      const split = blocks.length === 1 && window.length >= longestList ? splitList(last!, window) : undefined;
      if (split) {
        this.draw([split.head]);
        this.finish(this.done + split.start);
        this.number = split.next;
      } else if (last && blocks.length > 1) {
        this.draw(blocks.slice(0, -1));
        this.finish(this.done + last.start);
      } else if (end < this.text.length && this.size < longestBlock) {
        this.size *= 2;
      } else if (this.size >= longestBlock) {
        const cut = this.text.lastIndexOf('\n', end) + 1;
        const next = cut > this.done ? cut : end;
        this.plain(this.text.slice(this.done, next));
        this.finish(next);
      } else if (this.live) {
        this.draw(blocks);
        const took = performance.now() - began;
        this.tailAfter = took > budget / 2 ? performance.now() + took * 4 : 0;
        break;
      } else {
        this.draw(blocks);
        this.finish(this.text.length);
      }
    }
  };

  private again(): void {
    if (document.hidden) {
      this.timer = setTimeout(this.work);
    } else {
      this.frame = requestAnimationFrame(this.work);
    }
  }

  /** Draws blocks after what is drawn for good. */
  private draw(blocks: readonly Block[]): void {
    const { env } = this;
    env.codes = [];
    const drawn = elements(render(blocks, env));
    const codes = env.codes;
    for (const element of drawn.querySelectorAll<HTMLElement>('[data-code]')) {
      const code = codes[Number(element.dataset['code'])];
      if (code) {
        const block = new CodeBlock(code.info, code.before, this.actions);
        block.update(code.text, false);
        element.replaceWith(block.element);
      }
    }
    this.show(drawn);
  }

  private code(info: string, text: string, whole: boolean): void {
    const open = this.fixed ? this.fixed.nextSibling : this.part.firstChild;
    let block = open instanceof Element ? codeBlockOf(open) : undefined;
    if (!block?.continues(info, text)) {
      block = new CodeBlock(info, lastLine(this.text.slice(0, this.done)), this.actions);
      this.show(block.element);
    }
    block.update(text, whole);
  }

  private plain(text: string): void {
    const block = document.createElement('pre');
    block.className = 'plain';
    block.textContent = visible(text);
    this.show(block);
  }

  /** Shows something after what is drawn for good, in place of what is there. */
  private show(drawn: DocumentFragment | HTMLElement): void {
    let content = drawn;
    if (drawn instanceof HTMLElement) {
      content = document.createDocumentFragment();
      content.append(drawn);
    }
    morph(this.part, content, takeOver, this.fixed);
  }

  /** Leaves what is drawn as it is, for good. */
  private finish(next: number): void {
    for (let drawn = this.fixed ? this.fixed.nextSibling : this.part.firstChild; drawn; drawn = drawn.nextSibling) {
      if (drawn instanceof Element) {
        complete(drawn);
      }
    }
    this.fixed = this.part.lastChild;
    if (this.part.childElementCount >= partSize) {
      this.part.classList.add('complete');
      this.part = newPart();
      this.fixed = null;
      this.root.append(this.part);
    }
    this.done = this.searched = next;
    this.number = undefined;
    this.size = portion;
    this.tailAfter = 0;
  }
}

function newPart(): HTMLElement {
  const part = document.createElement('div');
  part.className = 'markdown-part';
  return part;
}

/** Lets a block of code go on with the text of another. */
function takeOver(from: Element, to: Element): boolean {
  const old = codeBlockOf(from);
  const now = codeBlockOf(to);
  if (old && now && old.continues(now.info, now.source)) {
    old.update(now.source, false);
    return true;
  }
  return false;
}

/** Takes the code in an element as complete. */
function complete(element: Element): void {
  for (const code of element.matches('[data-code]') ? [element] : element.querySelectorAll('[data-code]')) {
    codeBlockOf(code)?.complete();
  }
}
