import { useMemo, useState } from 'preact/hooks';
import { visible } from '../../src/shared/visible';
import { t } from '../strings';
import { cut } from '../markdown/cut';
import { shownLines, type DiffLine } from './diff';

const marks = { same: ' ', added: '+', removed: '-', gap: '⋯' };
const labels = { same: '', added: 'added', removed: 'removed', gap: '' };

/** The lines of a diff; of a long one the beginning, and the rest on demand. */
export function DiffView({ lines, label }: { lines: readonly DiffLine[]; label: string }) {
  const [all, showAll] = useState(false);
  const shown = useMemo(
    () => (all ? lines : lines.slice(0, shownLines)).map(({ kind, text }) => ({ kind, text: visible(cut(text).text) })),
    [lines, all],
  );
  return (
    <div class="diff">
      <pre tabIndex={0} role="region" aria-label={label}>
        {shown.map(({ kind, text }, index) => (
          <div key={index} class={`diff-${kind}`} data-kind={labels[kind]}>
            <span class="diff-mark" aria-hidden={kind === 'same'}>
              {marks[kind]}
            </span>
            {text}
            {'\n'}
          </div>
        ))}
      </pre>
      {!all && lines.length > shownLines && (
        <button type="button" class="text-button" onClick={() => showAll(true)}>
          {t('Show all {0} lines', lines.length)}
        </button>
      )}
    </div>
  );
}

/** Numbers of added and removed lines. */
export function Counts({ added, removed }: { added: number; removed: number }) {
  return (
    <span class="counts" aria-label={t('{0} lines added, {1} removed', added, removed)} role="img">
      {added > 0 && <span class="added">+{added}</span>}
      {removed > 0 && <span class="removed">−{removed}</span>}
    </span>
  );
}
