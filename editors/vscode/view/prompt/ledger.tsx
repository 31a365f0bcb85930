import { useEffect, useState } from 'preact/hooks';
import { server } from '../bridge';
import { size } from '../../src/shared/limits';
import type { Excluded } from '../../src/shared/messages';
import type { Text } from '../../src/shared/view';
import type { ContentBlock, ContextItem, ListEntry } from '../../src/shared/wire';
import { Icon, IconButton } from '../icon';
import { getState } from '../state';
import { create } from '../state/sessions';
import { visibleLine } from '../../src/shared/visible';
import { t, words } from '../strings';
import { exact } from '../format/numbers';

/** Kinds that can be left out as a whole. */
const excludable = new Set(['context_file', 'memory', 'folders', 'editor', 'linked']);

interface Props {
  prompt: () => ContentBlock[];
  /** Whether what the editor shows goes with the prompt. */
  context: boolean;
  /** What is left out of the next prompt. */
  excluded: readonly Excluded[];
  onExcluded: (excluded: readonly Excluded[]) => void;
}

interface Left extends Excluded, ListEntry {
  /** It is left out of the session, and not of the next prompt alone. */
  session?: boolean;
}

interface Listed {
  items: ContextItem[];
  withheld?: ListEntry[];
  leftOut?: Left[];
}

/** What the next prompt carries, and what the model was sent last: sizes, reasons, and what can be left out. */
export function Ledger({ prompt, context, excluded, onExcluded }: Props) {
  const [next, setNext] = useState(true);
  const [session, setSession] = useState(false); // whether leaving out is for the session
  const [listed, setListed] = useState<Listed>();
  const [failed, setFailed] = useState('');

  const load = async (): Promise<void> => {
    setFailed('');
    try {
      const sessionId = getState().sessionId ?? (await create());
      const coming = { next, prompt: prompt(), exclude: excluded, ...(!context && { context }) };
      setListed(await server<Listed>('emendo/context/list', next ? { sessionId, ...coming } : { sessionId }));
    } catch (error) {
      setFailed((error as Error).message);
    }
  };
  useEffect(() => void load(), [next, excluded]);

  const exclude = async (what: Excluded): Promise<void> => {
    if (next && !session) {
      onExcluded([...excluded, what]);
    } else {
      await change(what, true);
    }
  };
  const change = async (what: Excluded, on: boolean): Promise<void> => {
    try {
      await server('emendo/context/exclude', { sessionId: getState().sessionId, ...what, on });
      await load();
    } catch (error) {
      setFailed((error as Error).message);
    }
  };
  const include = ({ kind, uri, session }: Left): void => {
    if (session) {
      void change({ ...(kind !== undefined && { kind }), ...(uri !== undefined && { uri }) }, false);
    } else {
      onExcluded(excluded.filter((other) => other.kind !== kind || other.uri !== uri));
    }
  };

  const { items = [], withheld = [], leftOut = [] } = listed ?? {};
  const all = items.reduce((sum, item) => sum + item.size, 0);
  return (
    <div class="ledger">
      <div class="tabs" role="tablist">
        {[true, false].map((tab) => (
          <button key={String(tab)} role="tab" aria-selected={tab === next} onClick={() => setNext(tab)} {...(tab === next && { 'data-first': true })}>
            {tab ? t(words.nextPrompt) : t(words.lastRequest)}
          </button>
        ))}
        {listed && <span class="ledger-all">{t('{0} in all', size(all))}</span>}
      </div>
      {failed !== '' && <p role="alert">{failed}</p>}
      {!listed && failed === '' && <p>{t(words.looking)}</p>}
      {listed && items.length === 0 && <p>{next ? t(words.nothingBeside) : t(words.nothingSent)}</p>}
      {leftOut.map((left, index) => (
        <p class="ledger-left" key={index}>
          {left.note.text}:
          <button class="link" onClick={() => include(left)}>
            {t(words.includeAgain, left.label.text)}
          </button>
        </p>
      ))}
      {withheld.map(({ label, note }, index) => (
        <p class="ledger-withheld" key={index}>
          <Icon name="warning" /> {label.text}. {note.text}
        </p>
      ))}
      {[...byKind(items)].map(([kind, group]) => (
        <Group key={kind} kind={kind} title={group[0]!.group} items={group} onExclude={(what) => void exclude(what)} />
      ))}
      {next && items.length > 0 && (
        <label class="ledger-scope">
          <input type="checkbox" checked={session} onChange={(event) => setSession(event.currentTarget.checked)} />
          {t(words.leaveOutOfSession)}
        </label>
      )}
    </div>
  );
}

function Group({ kind, title: { text: title }, items, onExclude }: { kind: string; title: Text; items: readonly ContextItem[]; onExclude: (what: Excluded) => void }) {
  const [open, setOpen] = useState(kind === 'editor' || kind === 'linked');
  return (
    <section aria-label={title}>
      <div class="ledger-group">
        <button class="ledger-kind" aria-expanded={open} onClick={() => setOpen(!open)}>
          <Icon name={open ? 'chevron-down' : 'chevron-right'} />
          <span>{title}</span>
          {items.length > 1 && <span class="ledger-count">{exact(items.length)}</span>}
        </button>
        <span class="ledger-size">{size(items.reduce((sum, item) => sum + item.size, 0))}</span>
        {excludable.has(kind) && <Leave name={title} onClick={() => onExclude({ kind })} />}
      </div>
      {open && (
        <ul>
          {items.map(({ source, size: bytes, uri, label, note }, index) => (
            <li key={index}>
              <span class="ledger-source" title={visibleLine(source)}>
                {label.text}
              </span>
              <span class="ledger-size">{size(bytes)}</span>
              {uri === undefined ? <span /> : <Leave name={label.text} onClick={() => onExclude({ uri })} />}
              <span class="ledger-reason">{note.text}</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Leave({ name, onClick }: { name: string; onClick: () => void }) {
  return <IconButton icon="eye-closed" class="icon" title={t(words.leaveOut)} label={t(words.leaveOutOf, name)} onClick={onClick} />;
}

/** The items of each kind, in the order of the kinds' first items. */
function byKind(items: readonly ContextItem[]): Map<string, ContextItem[]> {
  const groups = new Map<string, ContextItem[]>();
  for (const item of items) {
    groups.set(item.kind, [...(groups.get(item.kind) ?? []), item]);
  }
  return groups;
}
