import { useMemo, useState } from 'preact/hooks';
import { visible } from '../../src/shared/visible';
import type { Row } from '../../src/shared/view';
import { t, words } from '../strings';
import { shortLine } from '../markdown/pieces';

/** How many lines of a diff are shown at first. */
const shownRows = 200;

const looks = {
  '=': { name: 'same', mark: ' ', kind: '' },
  '+': { name: 'added', mark: '+', kind: 'added' },
  '-': { name: 'removed', mark: '-', kind: 'removed' },
  '…': { name: 'gap', mark: '⋯', kind: '' },
};

/** The lines of a diff; of a long one the beginning, and the rest on demand. */
export function DiffView({ rows, label }: { rows: readonly Row[]; label: string }) {
  const [all, showAll] = useState(false);
  const shown = useMemo(() => (all ? rows : rows.slice(0, shownRows)).map(([mark, line]) => ({ look: looks[mark], line: visible(shortLine(line)) })), [rows, all]);
  return (
    <div class="diff">
      <pre tabIndex={0} role="region" aria-label={label}>
        {shown.map(({ look: { name, mark, kind }, line }, index) => (
          <div key={index} class={`diff-${name}`} data-kind={kind}>
            <span class="diff-mark" aria-hidden={name === 'same'}>
              {mark}
            </span>
            {line}
            {'\n'}
          </div>
        ))}
      </pre>
      {!all && rows.length > shownRows && (
        <button type="button" class="text-button" onClick={() => showAll(true)}>
          {t(words.allLines, rows.length)}
        </button>
      )}
    </div>
  );
}

/** The numbers of lines that a diff adds and removes. */
export function counts(rows: readonly Row[]): { added: number; removed: number } {
  return { added: rows.filter(([mark]) => mark === '+').length, removed: rows.filter(([mark]) => mark === '-').length };
}

/** Numbers of added and removed lines. */
export function Counts({ added, removed }: { added: number; removed: number }) {
  return (
    <span class="counts" aria-label={t(words.lineCounts, added, removed)} role="img">
      {added > 0 && <span class="added">+{added}</span>}
      {removed > 0 && <span class="removed">−{removed}</span>}
    </span>
  );
}
