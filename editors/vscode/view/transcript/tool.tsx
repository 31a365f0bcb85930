import { memo } from 'preact/compat';
import { useMemo } from 'preact/hooks';
import { visible, visibleLine } from '../../src/shared/visible';
import type { ToolContent } from '../../src/shared/wire';
import { host } from '../bridge';
import { Icon } from '../icon';
import { Markdown } from '../markdown/markdown';
import { cancel, useStore } from '../state';
import type { ToolItem } from '../state/conversation';
import { contentText } from '../state/output';
import { t } from '../strings';
import { ChangeSetView } from './change_set';
import { wholeCommand } from './command';
import { compare, counts } from './diff';
import { Counts, DiffView } from './diff_view';
import { Fold } from './fold';
import { duration } from '../format/numbers';
import { shortPath } from '../format/paths';
import { Output } from './output';
import { statusOf, type Status } from './status';

const icons: Record<string, string> = {
  read: 'file',
  edit: 'edit',
  delete: 'trash',
  move: 'arrow-swap',
  search: 'search',
  execute: 'terminal',
  think: 'lightbulb',
  fetch: 'globe',
  switch_mode: 'arrow-right',
};

/** Kinds of calls whose titles end with the name of a file, which is what has to be seen. */
const ofFile = new Set(['read', 'edit', 'delete', 'move']);

interface Props {
  item: ToolItem;
  /** Whether the turn has ended: what still ran then does not run any more. */
  over: boolean;
  /** The calls that this one made: those of a subagent. */
  nested?: readonly ToolItem[];
}

/** A call of a tool, and what came of it. */
export const ToolView = memo(
  function ToolView({ item, over, nested = [] }: Props) {
    const { call, meta } = item;
    const set = useStore((state) => (meta.changeSetId === undefined ? undefined : state.changes.get(meta.changeSetId)));
    const status = statusOf(item, over, set);
    const running = status === 'running';
    const title = visibleLine(call.title ?? '') || t('Call');
    const shown = title.length > 500 ? `${title.slice(0, 500)}…` : title;
    const diffs = set ? [] : (call.content ?? []).filter((part) => part.type === 'diff');
    return (
      <div class="tool" data-status={status}>
        <Fold
          open={(running && item.output !== '') || ((status === 'failed' || status === 'denied') && !set) || nested.some(({ call }) => call.status === 'in_progress' || call.status === 'pending')}
          head={
            <>
              <Icon name={icons[call.kind ?? ''] ?? 'tools'} />
              <span class={`tool-title${call.kind === 'execute' ? ' command' : ofFile.has(call.kind ?? '') ? ' path' : ''}`} title={title}>
                <bdi>{shown}</bdi>
              </span>
              <span class="tool-end">
                {nested.length > 0 && <span class="dim">{nested.length === 1 ? t('1 call') : t('{0} calls', nested.length)}</span>}
                <End item={item} status={status} />
              </span>
            </>
          }
        >
          {() => <Details item={item} nested={nested} over={over} status={status} />}
        </Fold>
        {running && (
          <button type="button" class="icon-button tool-stop" title={t('Stop this call')} aria-label={t('Stop this call')} onClick={() => cancel(call.toolCallId)}>
            <Icon name="debug-stop" />
          </button>
        )}
        {set ? <ChangeSetView set={set} /> : diffs.map((diff) => <Diff key={diff.path} diff={diff} open={status === 'asking'} />)}
      </div>
    );
  },
  (a, b) => a.item === b.item && a.over === b.over && (a.nested?.length ?? 0) === (b.nested?.length ?? 0) && (a.nested ?? []).every((item, index) => item === b.nested?.[index]),
);

/** How a call ended, or that it has not. */
function End({ item: { meta }, status: ended }: { item: ToolItem; status: Status }) {
  const texts = {
    waiting: t('Waiting'),
    asking: t('Waits for your answer'),
    running: t('Running'),
    done: t('Done'),
    failed: t('Failed'),
    denied: t('Not allowed'),
    rejected: t('Rejected'),
    cancelled: t('Cancelled'),
  };
  const looks = { waiting: 'circle-outline', asking: 'question', running: 'loading', done: 'check', failed: 'error', denied: 'circle-slash', rejected: 'circle-slash', cancelled: 'circle-slash' };
  const exit = meta.signal ? meta.signal : meta.exitCode !== undefined && meta.exitCode !== 0 ? t('exit {0}', meta.exitCode) : '';
  const status = exit !== '' && ended === 'done' ? 'failed' : ended; // the call is done, what it ran has failed
  return (
    <>
      {exit !== '' && <span class="exit">{exit}</span>}
      {meta.durationMs !== undefined && meta.durationMs >= 1000 && <span class="dim">{duration(meta.durationMs)}</span>}
      <span class={`tool-status status-${status}`} title={texts[status]}>
        <Icon name={looks[status]} spin={status === 'running'} />
        <span class="hidden-text">{texts[status]}</span>
      </span>
    </>
  );
}

function Details({ item, nested, over, status }: { item: ToolItem; nested: readonly ToolItem[]; over: boolean; status: Status }) {
  const { call, meta, output } = item;
  const folders = useStore((state) => state.folders);
  const command = wholeCommand(call);
  const text = output === '' ? contentText(call.content) : '';
  const nothing = output === '' && text === '' && nested.length === 0;
  return (
    <>
      {command !== undefined && (
        <pre class="output" tabIndex={0} role="region" aria-label={t('Command')}>
          <code>{command}</code>
        </pre>
      )}
      {meta.rule && (
        <p class="dim">
          {t('Rule')}: <code>{visibleLine(meta.rule)}</code>
        </p>
      )}
      {meta.reason && <p class="dim">{visible(meta.reason)}</p>}
      {(call.locations ?? []).length > 0 && (
        <p class="locations">
          {call.locations!.slice(0, 20).map(({ path, line }) => (
            <button
              key={`${path}:${line}`}
              type="button"
              class="text-button"
              onClick={() => void host('openFile', line === undefined ? { path } : { path, line }).catch(() => {})}
            >
              <bdi>{shortPath(path, folders) + (line === undefined ? '' : `:${line}`)}</bdi>
            </button>
          ))}
        </p>
      )}
      {output !== '' && !(status === 'running' && nested.length > 0) && <Output text={output} />}
      {text !== '' && <Markdown text={text} live={status === 'running'} />}
      {nested.map((inner) => (
        <ToolView key={inner.key} item={inner} over={over} />
      ))}
      {nothing && <p class="dim">{meta.summary ? visible(meta.summary) : status === 'running' ? t('No output yet.') : t('No output.')}</p>}
    </>
  );
}

function Diff({ diff: { path, oldText, newText }, open }: { diff: Extract<ToolContent, { type: 'diff' }>; open: boolean }) {
  const folders = useStore((state) => state.folders);
  const lines = useMemo(() => compare(oldText ?? '', newText), [oldText, newText]);
  const short = shortPath(path, folders);
  return (
    <Fold
      open={open && lines.length <= 60}
      head={
        <>
          <Icon name={oldText == null ? 'diff-added' : 'diff-modified'} />
          <span class="path" title={short}>
            <bdi>{short}</bdi>
          </span>
          <Counts {...counts(lines)} />
        </>
      }
    >
      {() => <DiffView lines={lines} label={t('Changes of {0}', short)} />}
    </Fold>
  );
}
