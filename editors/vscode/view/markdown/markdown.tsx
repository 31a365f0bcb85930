import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { host } from '../bridge';
import { getState } from '../state';
import type { CodeActions } from './code';
import { MarkdownStream } from './stream';

const actions: CodeActions = {
  copy: (text) => void host('copy', { text }).catch(() => {}),
  insert: (text) => void host('insert', { text }).catch(() => {}),
  apply: (text, language) => {
    const { sessionId } = getState();
    void host('apply', sessionId === undefined ? { text, language } : { text, language, sessionId }).catch(() => {});
  },
};

interface Props {
  text: string;
  /** Whether more of it may come. */
  live?: boolean;
  /** Called when more of it was drawn. */
  onDrawn?: () => void;
}

/** Markdown of the model, which is not trusted. */
export function Markdown({ text, live = false, onDrawn }: Props) {
  const root = useRef<HTMLDivElement>(null);
  const stream = useRef<MarkdownStream | null>(null);
  const drawn = useRef(onDrawn);
  drawn.current = onDrawn;
  useLayoutEffect(() => {
    stream.current ??= new MarkdownStream(root.current!, actions, () => drawn.current?.());
    stream.current.update(text, live);
  }, [text, live]);
  useEffect(() => () => stream.current?.dispose(), []);
  return <div class="markdown" ref={root} dir="auto" onClick={follow} onKeyDown={followByKey} />;
}

/** Opens the link that was clicked. */
function follow(event: Event): void {
  const link = (event.target as Element).closest<HTMLElement>('a.link');
  if (!link) {
    return;
  }
  event.preventDefault();
  const { web, file, line, column, end } = link.dataset;
  if (web !== undefined) {
    void host('openLink', { href: web }).catch(() => {});
  } else if (file !== undefined) {
    void host('openFile', {
      path: file,
      ...(line === undefined ? {} : { line: Number(line) }),
      ...(column === undefined ? {} : { column: Number(column) }),
      ...(end === undefined ? {} : { endLine: Number(end) }),
    }).catch(() => {});
  }
}

function followByKey(event: KeyboardEvent): void {
  if (event.key === 'Enter' && (event.target as Element).matches('a.link')) {
    follow(event);
  }
}
