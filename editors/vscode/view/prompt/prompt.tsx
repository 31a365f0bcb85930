import { useEffect, useRef, useState } from 'preact/hooks';
import { host } from '../bridge';
import { maxImages, size } from '../../src/shared/limits';
import type { Chip, Refused } from '../../src/shared/messages';
import { fail, getState, isRunning, onAsk, runTask, useStore, type SendOptions } from '../state';
import { t, words } from '../strings';
import { toBlocks, withChips } from './blocks';
import { useBox } from './box';
import { Chips } from './chips';
import { flushDrafts, storeSent } from './draft';
import { Failed, Refusals } from './failed';
import { History } from './history';
import { How } from './how';
import { normalized } from './images';
import { usePromptKeys } from './keys';
import { Ledger } from './ledger';
import { ModePicker } from './mode';
import { ModelPicker } from './model';
import { Offers } from './offers';
import { Panel } from './panel';
import { Queue } from './queue';
import { useSending } from './sending';
import { Toolbar, type PanelName } from './toolbar';
import { contents, droppable, isLong, pasteChip, transfer, type Transferred } from './transfer';
import { UsagePanel } from './usage';
import { useCompletion } from './use_completion';

const list = 'prompt-offers';

/** The prompt box: text, context, how it is answered, and what waits. */
export function Prompt() {
  const history = useRef<History | undefined>(undefined);
  history.current ??= new History(getState().history);
  const box = useBox(history.current);
  const [refused, setRefused] = useState<readonly Refused[]>([]);
  const [panel, setPanel] = useState<PanelName>();
  const [dragged, setDragged] = useState(false);
  const opener = useRef<HTMLElement | null>(null);
  const context = useStore((state) => state.editorContext);
  const running = useStore(isRunning);
  const { sendOnEnter } = useStore((state) => state.settings);

  const sent = (text: string): void => {
    history.current!.add(text);
    box.leaveOut({ context: true, excluded: [] });
    setRefused([]);
    if (text.trim() !== '') {
      storeSent(text);
    }
  };
  const leftOut = (): Pick<SendOptions, 'context' | 'exclude'> => ({
    ...(!box.context && { context: false as const }),
    ...(box.excluded.length > 0 && { exclude: [...box.excluded] }),
  });
  const sending = useSending({ box, leftOut, onSent: sent });
  const completion = useCompletion(box);

  const attach = ({ chips, refused }: Transferred): void => {
    const { fits, over } = withinImages(box.read().chips, chips);
    box.add(fits);
    setRefused([...refused, ...over]);
  };
  const take = (data: { uris: string[]; files: File[] }): void => {
    transfer(data).then(attach, (error: Error) => setRefused([{ name: '', reason: error.message }]));
  };
  const openPanel = (name: PanelName | undefined): void => {
    opener.current = document.activeElement as HTMLElement | null;
    setPanel(name === panel ? undefined : name);
  };
  const closePanel = (back: boolean): void => {
    setPanel(undefined);
    if (back) {
      (opener.current?.isConnected ? opener.current : box.area.current)?.focus();
    }
  };
  const keys = usePromptKeys({ box, completion, sending, history: history.current, running, sendOnEnter, openPanel });

  // What other parts of the view, and the extension, put into the box.
  const asked = useRef<Parameters<typeof onAsk>[0]>(() => false);
  asked.current = (ask) => {
    if (ask.type === 'compose') {
      const draft = { text: ask.text ?? '', chips: ask.chips ?? [] };
      if (ask.send) {
        sending.sendDraft(draft, {});
      } else {
        const { text } = box.read();
        box.replace(text.length, text.length, text === '' || /\s$/.test(text) || draft.text === '' ? draft.text : `\n${draft.text}`);
        void Promise.all(draft.chips.map(normalized)).then((chips) => attach({ chips, refused: [] }));
      }
      if (ask.focus) {
        box.area.current?.focus();
      }
      return true;
    }
    if (ask.type === 'task') {
      runTask(ask.command, ask.argument).catch(fail);
      return true;
    }
    switch (ask.what) {
      case 'focusPrompt':
        box.area.current?.focus();
        return true;
      case 'context':
        openPanel('sent');
        return true;
      case 'mode':
      case 'model':
        openPanel(ask.what);
        return true;
      default:
        return false;
    }
  };
  useEffect(() => onAsk((ask) => asked.current(ask)), []);

  // Files can be dropped anywhere in the view.
  const dropped = useRef(take);
  dropped.current = take;
  useEffect(() => onDrop((data) => dropped.current(data), setDragged), []);

  const filled = toBlocks(box).length > 0;
  const done = (): void => closePanel(true);
  return (
    <div class={`prompt ${dragged ? 'dragged' : ''}`}>
      <Queue editing={sending.editing?.id} onEdit={sending.edit} onRemoved={(text) => history.current!.add(text)} />
      <Failed />
      <Refusals refused={refused} onClose={() => setRefused([])} />
      {sending.editing && (
        <p class="prompt-editing">
          {t(words.changingQueued)}{' '}
          <button class="link" onClick={sending.stopEditing}>
            {t('Cancel')}
          </button>
        </p>
      )}
      <div class="prompt-box">
        {panel && (
          <Panel label={titles()[panel]} key={panel} onClose={closePanel}>
            {panel === 'mode' && <ModePicker onDone={done} onError={fail} />}
            {panel === 'model' && <ModelPicker onDone={done} onError={fail} />}
            {panel === 'usage' && <UsagePanel onDone={done} />}
            {panel === 'sent' && <Ledger prompt={() => toBlocks(box.read())} context={box.context} excluded={box.excluded} onExcluded={(excluded) => box.leaveOut({ excluded })} />}
            {panel === 'how' && (
              <How
                onChoose={(how) => {
                  closePanel(false);
                  box.area.current!.focus();
                  sending.submit(how);
                }}
              />
            )}
          </Panel>
        )}
        <Offers id={list} completion={completion} />
        <Chips
          chips={box.chips}
          context={context}
          withContext={box.context}
          onContext={(context) => box.leaveOut({ context })}
          onRemove={box.remove}
          onExpand={(chip, text) => {
            box.remove(chip.id);
            box.area.current!.focus();
            const { selectionStart, selectionEnd } = box.area.current!;
            box.replace(selectionStart, selectionEnd, text);
          }}
          onLeave={() => box.area.current!.focus()}
        />
        <textarea
          ref={box.area}
          rows={1}
          aria-label={t('Prompt')}
          aria-autocomplete="list"
          aria-haspopup="listbox"
          {...(completion.offers.length > 0 && { 'aria-controls': list, 'aria-activedescendant': `${list}-${completion.active}` })}
          placeholder={placeholder(running, sendOnEnter)}
          spellcheck={false}
          onInput={() => {
            box.changed();
            if (box.replacing()) {
              completion.hide();
            } else {
              completion.typed();
            }
          }}
          onSelect={completion.moved}
          onBlur={() => {
            completion.hide();
            flushDrafts();
          }}
          onKeyDown={keys}
          onPaste={(event) => {
            const { uris, files } = contents(event.clipboardData);
            const text = event.clipboardData?.getData('text/plain') ?? '';
            if (files.length > 0 && text === '') {
              event.preventDefault();
              take({ uris, files });
            } else if (isLong(text)) {
              event.preventDefault();
              box.add([pasteChip(text)]);
            }
          }}
        />
        <Toolbar
          panel={panel}
          onPanel={openPanel}
          onAttach={() =>
            void host('pickFiles', {}).then(
              async ({ chips, refused }) => attach({ chips: await Promise.all(chips.map(normalized)), refused }),
              () => {}, // the editor says why
            )
          }
          filled={filled}
          editing={sending.editing !== undefined}
          onSend={(how) => {
            box.area.current!.focus();
            sending.submit(how);
          }}
        />
      </div>
      <p class="hidden" role="status">
        {completion.offers.length > 0 ? t('{0} suggestions', completion.offers.length) : ''}
      </p>
    </div>
  );
}

function placeholder(running: boolean, sendOnEnter: boolean): string {
  const key = sendOnEnter ? 'Enter' : 'Ctrl+Enter';
  return running ? t(words.runningPlaceholder, key) : t(words.promptPlaceholder);
}

function titles(): Record<PanelName, string> {
  return { mode: t('Mode'), model: t('Model'), usage: t(words.tokensAndCost), sent: t(words.whatIsSent), how: t(words.moreWays) };
}

/** Splits pictures that are too much for one prompt from the rest. */
function withinImages(have: readonly Chip[], more: readonly Chip[]): { fits: Chip[]; over: Refused[] } {
  const bytes = ({ block }: Chip): number => (block.type === 'image' ? block.data.length * 0.75 : 0);
  const fits: Chip[] = [];
  const over: Refused[] = [];
  let all = have.reduce((sum, chip) => sum + bytes(chip), 0);
  for (const chip of withChips([], more)) {
    if (bytes(chip) > 0 && all + bytes(chip) > maxImages) {
      over.push({ name: chip.label, reason: t(words.picturesTooLarge, size(maxImages)) });
    } else {
      all += bytes(chip);
      fits.push(chip);
    }
  }
  return { fits, over };
}

/** Calls back with what is dropped on the page, and while something is dragged over it that can be. */
function onDrop(take: (data: { uris: string[]; files: File[] }) => void, dragged: (over: boolean) => void): () => void {
  const over = (event: DragEvent): void => {
    if (droppable(event.dataTransfer?.types ?? [])) {
      event.preventDefault();
      dragged(true);
    }
  };
  const left = (event: DragEvent): void => {
    if (event.relatedTarget === null) {
      dragged(false);
    }
  };
  const drop = (event: DragEvent): void => {
    dragged(false);
    if (droppable(event.dataTransfer?.types ?? [])) {
      event.preventDefault();
      take(contents(event.dataTransfer));
    }
  };
  const listening = new AbortController();
  document.addEventListener('dragover', over, listening);
  document.addEventListener('dragleave', left, listening);
  document.addEventListener('drop', drop, listening);
  return () => listening.abort();
}
