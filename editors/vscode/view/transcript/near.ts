const waiting = new WeakMap<Element, () => void>();
let observer: IntersectionObserver | undefined;

/** Calls back once, when an element of the conversation comes near what is seen. */
export function watchNear(element: Element, come: () => void): () => void {
  observer ??= new IntersectionObserver(
    (entries, observer) => {
      for (const { target, isIntersecting } of entries) {
        if (isIntersecting) {
          observer.unobserve(target);
          waiting.get(target)?.();
          waiting.delete(target);
        }
      }
    },
    { root: element.closest('.transcript'), rootMargin: '1500px 0px' },
  );
  waiting.set(element, come);
  observer.observe(element);
  return () => {
    waiting.delete(element);
    observer?.unobserve(element);
  };
}
