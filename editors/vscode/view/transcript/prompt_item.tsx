import { memo } from 'preact/compat';
import { visibleLine } from '../../src/shared/visible';
import type { ContentBlock } from '../../src/shared/wire';
import { host } from '../bridge';
import { Icon } from '../icon';
import { isPicture } from '../markdown/links';
import { useStore } from '../state';
import { t } from '../strings';
import { Fold } from './fold';
import { shortPath } from '../format/paths';

const icons: Record<string, string> = {
  file: 'file',
  folder: 'folder',
  symbol: 'symbol-method',
  selection: 'list-selection',
  problems: 'warning',
  terminal: 'terminal',
  image: 'file-media',
};

/** What the user wrote: text as it is, and what they added as chips and pictures. */
export const PromptBlocks = memo(function PromptBlocks({ blocks }: { blocks: readonly ContentBlock[] }) {
  const texts = blocks.flatMap((block) => (block.type === 'text' && !kindOf(block) ? [block.text] : []));
  const text = texts.join('\n');
  const chips = blocks.filter((block) => block.type !== 'text' || kindOf(block));
  return (
    <div class="prompt-blocks" dir="auto">
      {chips.length > 0 && (
        <div class="chips">
          {chips.map((block, index) => (
            <Chip key={index} block={block} />
          ))}
        </div>
      )}
      {text.length > 4000 ? (
        <>
          <div class="prompt-text prompt-start">{text.slice(0, 1000)}…</div>
          <Fold open={false} head={<span>{t('All of the prompt')}</span>}>
            {() => <div class="prompt-text">{text}</div>}
          </Fold>
        </>
      ) : (
        <div class="prompt-text">{text}</div>
      )}
    </div>
  );
});

function kindOf(block: ContentBlock): string | undefined {
  const kind = block._meta?.emendo?.['kind'];
  return typeof kind === 'string' ? kind : undefined;
}

function Chip({ block }: { block: ContentBlock }) {
  const folders = useStore((state) => state.folders);
  const label = block._meta?.emendo?.['label'];
  const own = typeof label === 'string' ? visibleLine(label) : undefined;
  if (block.type === 'image') {
    const source = `data:${block.mimeType};base64,${block.data}`;
    return isPicture(source) ? <img class="prompt-picture" src={source} alt={own ?? t('Picture')} /> : <span class="chip">{own ?? t('Picture')}</span>;
  }
  const uri = block.type === 'resource_link' ? block.uri : block.type === 'resource' ? block.resource.uri : undefined;
  const icon = <Icon name={icons[kindOf(block) ?? 'file'] ?? 'file'} />;
  if (uri === undefined) {
    return (
      <span class="chip">
        {icon}
        {own ?? t('Attachment')}
      </span>
    );
  }
  const start = lineOf(block);
  return (
    <button
      type="button"
      class="chip"
      title={shortPath(uri, folders)}
      onClick={() => void host('openFile', start === undefined ? { uri } : { uri, line: start }).catch(() => {})}
    >
      {icon}
      <bdi>{own ?? visibleLine(block.type === 'resource_link' ? block.name : shortPath(uri, folders))}</bdi>
    </button>
  );
}

/** The one-based line that a link is about. */
function lineOf(block: ContentBlock): number | undefined {
  const range = block._meta?.['range'] ?? block._meta?.emendo?.['range'];
  const line = (range as { start?: { line?: unknown } } | undefined)?.start?.line;
  return typeof line === 'number' ? line + 1 : undefined;
}
