import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

interface Props {
  label: string;
  /** Closes it; `back` is whether the focus returns to where it was. */
  onClose: (back: boolean) => void;
  children: ComponentChildren;
}

/** A panel over the prompt box, which the user opened. It closes with Escape, and when the user goes elsewhere. */
export function Panel({ label, onClose, children }: Props) {
  const panel = useRef<HTMLDivElement>(null);
  const close = useRef(onClose);
  close.current = onClose;
  useEffect(() => {
    const first = panel.current!.querySelector<HTMLElement>('[data-first], input, button, [tabindex="0"]');
    (first ?? panel.current!).focus();
    const elsewhere = (event: PointerEvent): void => {
      const target = event.target as Element;
      if (!panel.current!.contains(target) && !target.closest('[aria-haspopup="dialog"]')) {
        close.current(false);
      }
    };
    document.addEventListener('pointerdown', elsewhere);
    return () => document.removeEventListener('pointerdown', elsewhere);
  }, []);
  return (
    <div
      class="panel"
      role="dialog"
      aria-label={label}
      tabIndex={-1}
      ref={panel}
      onKeyDown={(event) => {
        if (event.key === 'Escape') {
          event.preventDefault();
          event.stopPropagation();
          onClose(true);
        }
      }}
      onFocusOut={(event) => {
        const to = event.relatedTarget as Element | null;
        if (to && !panel.current!.contains(to) && !to.closest('[aria-haspopup="dialog"]')) {
          onClose(false);
        }
      }}
    >
      {children}
    </div>
  );
}
