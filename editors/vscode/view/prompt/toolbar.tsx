import type { InjectHow } from '../../src/shared/wire';
import { Icon, IconButton } from '../icon';
import { cancel, isRunning, useStore } from '../state';
import { t, words } from '../strings';
import { useModeName } from './mode';
import { useModelName } from './model';
import { Ring, share } from './usage';

export type PanelName = 'mode' | 'model' | 'usage' | 'sent' | 'how';

interface Props {
  panel: PanelName | undefined;
  onPanel: (panel: PanelName) => void;
  onAttach: () => void;
  /** Whether there is something to send. */
  filled: boolean;
  /** Whether a queued prompt is being changed. */
  editing: boolean;
  onSend: (how?: InjectHow) => void;
}

/** What is below the text: what goes with it, how it is answered, and the means to send it. */
export function Toolbar({ panel, onPanel, onAttach, filled, editing, onSend }: Props) {
  const mode = useModeName();
  const model = useModelName();
  const running = useStore(isRunning);
  const used = useStore(share);
  const opens = (name: PanelName) => ({
    'aria-haspopup': 'dialog' as const,
    'aria-expanded': panel === name,
    onClick: () => onPanel(name),
  });
  const percent = used === undefined ? 0 : Math.round(used * 100);
  return (
    <div class="toolbar" role="toolbar" aria-label={t('Prompt')}>
      <IconButton icon="attach" class="icon" title={t(words.addFilesTitle)} label={t(words.addFiles)} onClick={onAttach} />
      <button class="pick mode" title={t(words.modeTitle)} aria-label={t(words.modeName, mode)} {...opens('mode')}>
        <span>{mode}</span>
        <Icon name="chevron-down" />
      </button>
      <button class="pick" title={t(words.modelTitle)} aria-label={t(words.modelName, model)} {...opens('model')}>
        <span>{model}</span>
        <Icon name="chevron-down" />
      </button>
      <span class="toolbar-end">
        {/* It comes and goes where nothing moves, so that a second click meets nothing else. */}
        {running && !editing && (
          <IconButton icon="stop-circle" class="icon" title={t('Stop')} onClick={() => cancel()} />
        )}
        {used !== undefined && (
          <button class="icon" title={t(words.contextUsed, percent)} aria-label={t(words.contextLabel, percent)} {...opens('usage')}>
            <Ring share={used} />
          </button>
        )}
        <IconButton icon="list-tree" class="icon" title={t(words.whatIsSent)} {...opens('sent')} />
        <IconButton icon={editing ? 'check' : 'send'} class="icon send" title={sendTitle(running, editing)} disabled={!filled} onClick={() => onSend()} />
        {filled && running && !editing && (
          <IconButton icon="chevron-down" class="icon how" title={t(words.moreWays)} {...opens('how')} />
        )}
      </span>
    </div>
  );
}

function sendTitle(running: boolean, editing: boolean): string {
  return editing ? t(words.saveQueued) : running ? t('Queue') : t('Send');
}
