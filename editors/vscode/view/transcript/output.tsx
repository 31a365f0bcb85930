import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { visible } from '../../src/shared/visible';
import { pieces } from '../markdown/cut';
import { t } from '../strings';
import { plainOutput, shownOutput } from './terminal';

/** What a call writes. It follows the end until the reader scrolls up. */
export function Output({ text }: { text: string }) {
  const [all, showAll] = useState(false);
  const box = useRef<HTMLPreElement>(null);
  const follows = useRef(true);
  const shown = useMemo(() => shownOutput(text, all ? Infinity : undefined), [text, all]);
  const parts = useMemo(() => pieces(visible(plainOutput(shown.text).trimEnd())), [shown]);
  useLayoutEffect(() => {
    if (follows.current && box.current) {
      box.current.scrollTop = box.current.scrollHeight;
    }
  }, [parts]);
  return (
    <>
      {shown.hidden > 0 && (
        <button type="button" class="text-button" onClick={() => showAll(true)}>
          {t('Show {0} earlier characters', shown.hidden.toLocaleString())}
        </button>
      )}
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
    </>
  );
}
