import DOMPurify from 'dompurify';
import { isPicture } from './links';

const purify = DOMPurify(window);

purify.addHook('uponSanitizeAttribute', (_node, attribute) => {
  if (attribute.attrName === 'src' && !isPicture(attribute.attrValue)) {
    attribute.keepAttr = false;
  }
});

/**
 * Makes elements of HTML. The renderer writes only what is allowed here; this is
 * the second lock, for a fault in it or in the parser. No element that stays has
 * an address to go to, a script or a style.
 */
export function elements(html: string): DocumentFragment {
  return purify.sanitize(html, {
    RETURN_DOM_FRAGMENT: true,
    ALLOWED_TAGS: 'a|blockquote|br|code|del|div|em|h3|h4|h5|h6|hr|img|li|ol|p|pre|s|span|strong|table|tbody|td|th|thead|tr|ul'.split('|'),
    ALLOWED_ATTR: ['alt', 'aria-label', 'class', 'role', 'src', 'start', 'tabindex', 'title'],
    ALLOW_DATA_ATTR: true,
  });
}
