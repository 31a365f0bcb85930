import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { host } from '../bridge';
import type { Act } from '../../src/shared/view';
import { fail } from '../state';
import { MarkdownStream } from './stream';

interface Props {
  text: string;
  /** Whether more of it may come. */
  live?: boolean;
  /** Does an action of the item or question that says it. */
  act: (actionId: string, more: Pick<Act, 'text' | 'values'>) => Promise<unknown>;
  /** Whether its code can be applied. */
  applies?: boolean;
}

/** Markdown of the model, which is not trusted. */
export function Markdown({ text, live = false, act, applies = false }: Props) {
  const root = useRef<HTMLDivElement>(null);
  const stream = useRef<MarkdownStream | null>(null);
  const doer = useRef(act);
  doer.current = act;
  useLayoutEffect(() => {
    stream.current ??= new MarkdownStream(root.current!, {
      copy: (text) => void host('copy', { text }).catch(() => {}), // the extension says why, here and below
      insert: (text) => void host('insert', { text }).catch(() => {}),
      ...(applies && { apply: (text, info, before) => void doer.current('apply', { text, values: { info: [info], before: [before] } }).catch(fail) }),
    });
    stream.current.update(text, live);
  }, [text, live]);
  useEffect(() => () => stream.current?.dispose(), []);
  return <div class="markdown" ref={root} dir="auto" onClick={(event) => follow(event, act)} onKeyDown={(event) => event.key === 'Enter' && (event.target as Element).matches('a.link') && follow(event, act)} />;
}

/** Opens the link that was clicked. */
function follow(event: Event, act: Props['act']): void {
  const link = (event.target as Element).closest<HTMLElement>('a.link');
  if (!link) {
    return;
  }
  event.preventDefault();
  const { web, file } = link.dataset;
  if (web !== undefined) {
    void host('openLink', { href: web }).catch(() => {});
  } else if (file !== undefined) {
    void act('open', { text: file }).catch(fail);
  }
}
