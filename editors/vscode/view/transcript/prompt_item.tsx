import { memo } from 'preact/compat';
import { visibleLine } from '../../src/shared/visible';
import type { Item, Line, Part } from '../../src/shared/view';
import type { ContentBlock } from '../../src/shared/wire';
import { shortText, text } from '../format/text';
import { Icon } from '../icon';
import { fromBlocks } from '../prompt/blocks';
import { iconOf } from '../prompt/kinds';
import { t, words } from '../strings';
import { Fold } from './fold';
import { doLine } from './lines';
import { PartView } from './part';

/** What the user wrote: text as it is, comments below their lines, and what they added as chips and pictures. */
export const UserPrompt = memo(function UserPrompt({ item: { id, look, parts = [], lines = [] } }: { item: Item }) {
  const written = parts.flatMap(({ kind, text = '' }) => (kind === 'text' ? [text] : [])).join('\n');
  const added = parts.some(({ kind }) => kind === 'image') || lines.length > 0;
  return (
    <div class="user-prompt" data-steer={look === 'steer'} data-item={id} aria-label={t(words.you, written.slice(0, 80))} role="group">
      <div class="prompt-blocks" dir="auto">
        {added && (
          <div class="chips">
            {lines.map((line, index) => (
              <Chip key={index} line={line} run={doLine(id, line)} />
            ))}
            {parts.map((part, index) => part.kind === 'image' && <PartView key={index} of={id} index={index} part={part} />)}
          </div>
        )}
        {parts.map((part, index) => {
          const whole = () => <PartView of={id} index={index} part={part} />;
          return part.kind === 'text' ? <Written key={index} text={part.text ?? ''} rest={whole} /> : part.kind !== 'image' && <Quoted key={index} part={part} whole={whole} />;
        })}
      </div>
    </div>
  );
});

/** Lines that a comment is about, or what it says. */
function Quoted({ part: { kind, label }, whole }: { part: Part; whole: () => preact.ComponentChildren }) {
  return (
    <div class="quoted">
      {kind === 'code' && label && <p class="dim">{text(label)}</p>}
      {whole()}
    </div>
  );
}

function Written({ text, rest }: { text: string; rest: () => preact.ComponentChildren }) {
  if (text.length <= 4000) {
    return <div class="prompt-text">{text}</div>;
  }
  return (
    <>
      <div class="prompt-text prompt-start">{text.slice(0, 1000)}…</div>
      <Fold open={false} head={<span>{t(words.wholePrompt)}</span>}>
        {() => <div class="prompt-text">{rest()}</div>}
      </Fold>
    </>
  );
}

function Chip({ line, run }: { line: Line; run: (() => void) | undefined }) {
  const content = (
    <>
      <Icon name={iconOf(line.look ?? 'file')} />
      <bdi>{shortText(line.text)}</bdi>
    </>
  );
  return run ? (
    <button type="button" class="chip" title={text(line.text)} onClick={run}>
      {content}
    </button>
  ) : (
    <span class="chip">{content}</span>
  );
}

/** A prompt that is on its way. */
export function PendingPrompt({ blocks }: { blocks: ContentBlock[] }) {
  const { text, chips } = fromBlocks(blocks);
  return (
    <div class="turn user-prompt pending-prompt" aria-busy="true">
      <div class="prompt-blocks" dir="auto">
        {chips.length > 0 && (
          <div class="chips">
            {chips.map(({ id, kind, label }) => (
              <span key={id} class="chip">
                <Icon name={iconOf(kind)} />
                {visibleLine(label)}
              </span>
            ))}
          </div>
        )}
        <div class="prompt-text">{text}</div>
      </div>
      <span class="progress">
        <Icon name="loading" spin /> {t(words.sending)}
      </span>
    </div>
  );
}
