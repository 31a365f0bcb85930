import { useRef } from 'preact/hooks';
import { host } from '../bridge';
import type { Chip, EditorContext } from '../../src/shared/messages';
import type { Position } from '../../src/shared/wire';
import { Icon } from '../icon';
import { visibleLine } from '../../src/shared/visible';
import { t, words } from '../strings';
import { useStore } from '../state';
import { shortLabel } from '../format/paths';
import { iconOf } from './kinds';
import { expanded } from './transfer';

interface Props {
  chips: readonly Chip[];
  context: EditorContext;
  /** Whether what the editor shows goes with the prompt. */
  withContext: boolean;
  onContext: (on: boolean) => void;
  onRemove: (id: string) => void;
  /** Puts the text of a long paste into the box. */
  onExpand: (chip: Chip, text: string) => void;
  /** Gives the focus back to the text. */
  onLeave: () => void;
}

/** What goes with the prompt: what the editor adds by itself, then what the user added. */
export function Chips({ chips, context, withContext, onContext, onRemove, onExpand, onLeave }: Props) {
  const row = useRef<HTMLDivElement>(null);
  const several = useStore(({ folders }) => folders.length > 1);
  const implicit = context.label;
  if (!implicit && chips.length === 0) {
    return null;
  }
  const keyed = (event: KeyboardEvent): void => {
    const buttons = [...row.current!.querySelectorAll<HTMLElement>('.chip-main')];
    const at = buttons.indexOf(event.target as HTMLElement);
    if (at < 0) {
      return;
    }
    const chip = chips[at - (implicit ? 1 : 0)];
    switch (event.key) {
      case 'ArrowLeft':
        buttons[at - 1]?.focus();
        break;
      case 'ArrowRight':
        buttons[at + 1]?.focus();
        break;
      case 'Delete':
      case 'Backspace': {
        const next = buttons[at + 1] ?? buttons[at - 1];
        if (chip) {
          onRemove(chip.id);
          next && next !== event.target ? next.focus() : onLeave();
        } else {
          onContext(false);
        }
        break;
      }
      case 'Escape':
        onLeave();
        break;
      default:
        return;
    }
    event.preventDefault();
  };
  return (
    <div class="chips" role="group" aria-label={t(words.contextChips)} ref={row} onKeyDown={keyed}>
      {implicit && (
        <span class={`chip implicit ${withContext ? '' : 'off'}`}>
          <button
            class="chip-main"
            aria-pressed={withContext}
            aria-label={t(words.sendShown, implicit)}
            title={withContext ? t(words.shownGoes, implicit) : t(words.shownStays)}
            onClick={() => onContext(!withContext)}
          >
            <Icon name={withContext ? 'eye' : 'eye-closed'} />
            <span class="chip-label">{visibleLine(shortLabel(implicit, several))}</span>
          </button>
        </span>
      )}
      {chips.map((chip) => (
        <ChipView key={chip.id} chip={chip} onRemove={onRemove} onExpand={onExpand} />
      ))}
    </div>
  );
}

function ChipView({ chip, onRemove, onExpand }: { chip: Chip } & Pick<Props, 'onRemove' | 'onExpand'>) {
  const { block } = chip;
  const label = visibleLine(chip.label);
  const detail = chip.detail ?? label;
  const text = expanded(chip);
  const file = block.type === 'resource_link' ? block.uri : undefined;
  const range = block._meta?.range as { start: Position } | undefined;
  const open = (): void => {
    if (text !== undefined) {
      onExpand(chip, text);
    } else if (file !== undefined) {
      void host('open', { place: { uri: file, ...(range && { range: { start: range.start, end: range.start } }) } }).catch(() => {}); // the editor says why
    }
  };
  const hint = text !== undefined ? t(words.clickExpands) : file !== undefined ? t(words.clickOpens) : '';
  return (
    <span class="chip">
      <button class="chip-main" title={hint === '' ? detail : `${detail}\n${hint}`} aria-label={hint === '' ? label : `${label}. ${hint}`} onClick={open}>
        {block.type === 'image' ? <img src={`data:${block.mimeType};base64,${block.data}`} alt="" /> : <Icon name={iconOf(chip.kind)} />}
        <span class="chip-label">{label}</span>
      </button>
      <button class="chip-remove" tabIndex={-1} aria-label={t(words.remove, label)} title={t('Remove')} onClick={() => onRemove(chip.id)}>
        <Icon name="close" />
      </button>
    </span>
  );
}
