import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { visible } from '../../src/shared/visible';
import { pieces } from '../markdown/pieces';
import { t } from '../strings';

/** What a call writes. It follows the end until the reader scrolls up. */
export function Output({ text }: { text: string }) {
  const box = useRef<HTMLPreElement>(null);
  const follows = useRef(true);
  const parts = useMemo(() => pieces(visible(text.trimEnd())), [text]);
  useLayoutEffect(() => {
    if (follows.current && box.current) {
      box.current.scrollTop = box.current.scrollHeight;
    }
  }, [parts]);
  return (
    <pre
      ref={box}
      class="output"
      tabIndex={0}
      role="region"
      aria-label={t('Output')}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        follows.current = scrollHeight - scrollTop - clientHeight < 8;
      }}
    >
      {parts.length === 1 ? parts[0] : parts.map((part, index) => <div key={index} class="code-piece">{part}</div>)}
    </pre>
  );
}
