import { useEffect, useMemo, useState } from 'preact/hooks';
import { visible } from '../../src/shared/visible';
import type { Item, Part } from '../../src/shared/view';
import { server } from '../bridge';
import { shortText, text } from '../format/text';
import { Icon } from '../icon';
import { isPicture } from '../markdown/links';
import { Markdown } from '../markdown/markdown';
import { act, getState } from '../state';
import { t, words } from '../strings';
import { Counts, DiffView, counts } from './diff_view';
import { Fold } from './fold';
import { Output } from './output';

interface Props {
  /** The item or question that has the part, and which of its parts that is. */
  of: string;
  index: number;
  part: Part;
  /** Whether more of it may come. */
  live?: boolean;
  /** Whether a diff is open as long as the user has not decided. */
  open?: boolean;
  /** Whether code in it can be applied. */
  applies?: boolean;
}

/** A piece of what an item or a question says. */
export function PartView({ of, index, part, live = false, open = false, applies = false }: Props) {
  const [whole, setWhole] = useState<Part>();
  const { kind, label, omitted = 0 } = part;
  const shown = whole ?? part;
  const content = shown.text ?? '';
  const more = omitted > 0 && !whole && (
    <button type="button" class="text-button" onClick={() => void fetchPart(of, index).then(setWhole)}>
      {kind === 'output' ? t(words.earlierCharacters, omitted.toLocaleString()) : t(words.moreCharacters, omitted.toLocaleString())}
    </button>
  );
  switch (kind) {
    case 'markdown':
      return <Markdown text={content} live={live} applies={applies} act={(actionId, more) => act(of, actionId, more)} />;
    case 'output':
      return (
        <>
          {more}
          <Output text={content} />
        </>
      );
    case 'code':
      return (
        <>
          <pre class="output" tabIndex={0} role="region" aria-label={label && text(label)}>
            <code>{visible(content)}</code>
          </pre>
          {more}
        </>
      );
    case 'text':
      return (
        <>
          {label && <p class="dim">{text(label)}</p>}
          <p class="part-text">{content}</p>
          {more}
        </>
      );
    case 'diff':
      return <DiffPart part={shown} open={open} more={more} />;
    case 'image':
      return <Picture of={of} index={index} part={part} />;
  }
}

function DiffPart({ part: { label, rows = [] }, open, more }: { part: Part; open: boolean; more: preact.ComponentChildren }) {
  const name = label ? withoutCounts(text(label)) : '';
  const { added, removed } = label?.args ?? {};
  const numbers = useMemo(() => ({ ...counts(rows), ...(typeof added === 'number' && { added }), ...(typeof removed === 'number' && { removed }) }), [rows, added, removed]);
  return (
    <Fold
      open={open && rows.length <= 60}
      head={
        <>
          <Icon name={numbers.removed === 0 && rows.every(([mark]) => mark === '+') ? 'diff-added' : 'diff-modified'} />
          <span class="path" title={name}>
            <bdi>{name}</bdi>
          </span>
          <Counts {...numbers} />
        </>
      }
    >
      {() => (
        <>
          <DiffView rows={rows} label={t(words.changesOf, name)} />
          {more}
        </>
      )}
    </Fold>
  );
}

/** Returns the name of a file without its numbers of lines, which are drawn beside it in their colours. */
function withoutCounts(name: string): string {
  return name.replace(/(?: \+[^ ]+)?(?: −[^ ]+)?$/, '');
}

/** A picture, which comes when it is drawn. */
function Picture({ of, index, part }: { of: string; index: number; part: Part }) {
  const [data, setData] = useState(part.data);
  useEffect(() => {
    if (data === undefined) {
      void fetchPart(of, index).then((whole) => setData(whole?.data));
    }
  }, []);
  const name = part.label ? shortText(part.label) : t('Picture');
  const source = `data:${part.mimeType ?? ''};base64,${data ?? ''}`;
  if (data === undefined || !isPicture(source)) {
    return <span class="chip">{name}</span>;
  }
  return <img class="picture" src={source} alt={name} />;
}

/** Returns a part of an item with all that it has; undefined if the item is gone. */
async function fetchPart(id: string, index: number): Promise<Part | undefined> {
  try {
    const { item } = await server<{ item?: Item }>('emendo/view/item', { sessionId: getState().sessionId, id });
    return item?.parts?.[index];
  } catch {
    return undefined;
  }
}
