/**
 * Makes an element's content like that of another, and keeps what is alike: a
 * text that grows stays the same node, with the user's selection in it. The
 * nodes of `to` may be moved. `same` draws what is not made of HTML and returns
 * whether it has. What comes up to `after` stays as it is.
 */
export function morph(from: Node, to: Node, same: (from: Element, to: Element) => boolean, after: ChildNode | null = null): void {
  let old = after ? after.nextSibling : from.firstChild;
  let next: ChildNode | null;
  for (let now = to.firstChild; now; now = next) {
    next = now.nextSibling;
    if (!old) {
      from.appendChild(now);
    } else if (old instanceof Text && now instanceof Text) {
      grow(old, now.data);
      old = old.nextSibling;
    } else if (old instanceof Element && now instanceof Element && old.nodeName === now.nodeName && (same(old, now) || into(old, now, same))) {
      old = old.nextSibling;
    } else {
      const replaced: ChildNode = old;
      old = old.nextSibling;
      replaced.replaceWith(now);
    }
  }
  while (old) {
    const rest: ChildNode = old;
    old = old.nextSibling;
    rest.remove();
  }
}

/** Makes one element like another of the same name; true when that was possible. */
function into(from: Element, to: Element, same: (from: Element, to: Element) => boolean): boolean {
  if (from.hasAttribute('data-code') || to.hasAttribute('data-code')) {
    return false;
  }
  for (const { name } of [...from.attributes]) {
    if (!to.hasAttribute(name)) {
      from.removeAttribute(name);
    }
  }
  for (const { name, value } of to.attributes) {
    if (from.getAttribute(name) !== value) {
      from.setAttribute(name, value);
    }
  }
  morph(from, to, same);
  return true;
}

/** Gives a text node another text, by adding to it where that is enough. */
export function grow(node: Text, text: string): void {
  const { data } = node;
  if (data === text) {
    return;
  }
  if (text.length > data.length && text.startsWith(data)) {
    node.appendData(text.slice(data.length));
  } else {
    node.data = text;
  }
}
