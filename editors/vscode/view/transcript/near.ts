const waiting = new WeakMap<Element, () => void>();
/** One for each scrolled box. Showing another screen and coming back makes another box. */
const observers = new WeakMap<Element, IntersectionObserver>();

function observerOf(box: Element | null): IntersectionObserver {
  const known = box && observers.get(box);
  if (known) {
    return known;
  }
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        if (isIntersecting) {
          observer.unobserve(target);
          waiting.get(target)?.();
          waiting.delete(target);
        }
      }
    },
    { root: box, rootMargin: '1500px 0px' },
  );
  if (box) {
    observers.set(box, observer);
  }
  return observer;
}

/** Calls back once, when an element comes near what is seen. */
export function watchNear(element: Element, come: () => void): () => void {
  const observer = observerOf(element.closest('.transcript'));
  waiting.set(element, come);
  observer.observe(element);
  return () => {
    waiting.delete(element);
    observer.unobserve(element);
  };
}
