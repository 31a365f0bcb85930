import { useEffect, useState } from 'preact/hooks';
import { keep, kept, server } from '../bridge';
import { size } from '../../src/shared/limits';
import type { Excluded } from '../../src/shared/messages';
import type { ContentBlock, ContextItem } from '../../src/shared/wire';
import { Icon } from '../icon';
import { getState } from '../state';
import { create } from '../state/sessions';
import { visibleLine } from '../../src/shared/visible';
import { t } from '../strings';
import { kindName, originName } from './kinds';
import { exact } from '../format/numbers';

/** Kinds that can be left out as a whole. */
const excludable = new Set(['context_file', 'memory', 'folders', 'editor', 'linked']);

/** The part of what is kept that has what was left out of each session from here on: the server does not list that. */
const part = 'leftOut';
/** As many sessions are kept there. */
const mostSessions = 50;

function ofSession(sessionId: string): readonly Excluded[] {
  return (kept()[part] as Record<string, readonly Excluded[]> | undefined)?.[sessionId] ?? [];
}

function keepOfSession(sessionId: string, excluded: readonly Excluded[]): void {
  const { [sessionId]: _, ...others } = (kept()[part] ?? {}) as Record<string, readonly Excluded[]>;
  const all = [...Object.entries(others), ...(excluded.length > 0 ? [[sessionId, excluded] as const] : [])];
  keep({ ...kept(), [part]: Object.fromEntries(all.slice(-mostSessions)) });
}

interface Props {
  prompt: () => ContentBlock[];
  /** Whether what the editor shows goes with the prompt. */
  context: boolean;
  /** What is left out of the next prompt. */
  excluded: readonly Excluded[];
  onExcluded: (excluded: readonly Excluded[]) => void;
}

interface Listed {
  items: ContextItem[];
  withheld?: { title: string; reason: string }[];
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
      const coming = { next, prompt: prompt(), exclude: keysOf(excluded), ...(!context && { context }) };
      setListed(await server<Listed>('emendo/context/list', next ? { sessionId, ...coming } : { sessionId }));
    } catch (error) {
      setFailed((error as Error).message);
    }
  };
  useEffect(() => void load(), [next, excluded]);

  const { sessionId = '' } = getState();
  const lasting = ofSession(sessionId);
  const exclude = async (what: Excluded): Promise<void> => {
    if (next && !session) {
      onExcluded([...excluded, what]);
      return;
    }
    await change(what, true, [...lasting, what]);
  };
  const change = async (what: Excluded, on: boolean, after: readonly Excluded[]): Promise<void> => {
    try {
      await server('emendo/context/exclude', { sessionId, ...keyOf(what), on });
      keepOfSession(sessionId, after);
      await load();
    } catch (error) {
      setFailed((error as Error).message);
    }
  };

  const { items = [], withheld = [] } = listed ?? {};
  const all = items.reduce((sum, item) => sum + item.size, 0);
  return (
    <div class="ledger">
      <div class="tabs" role="tablist">
        {[true, false].map((tab) => (
          <button key={String(tab)} role="tab" aria-selected={tab === next} onClick={() => setNext(tab)} {...(tab === next && { 'data-first': true })}>
            {tab ? t('Next prompt') : t('Last request')}
          </button>
        ))}
        {listed && <span class="ledger-all">{t('{0} in all', size(all))}</span>}
      </div>
      {failed !== '' && <p role="alert">{failed}</p>}
      {!listed && failed === '' && <p>{t('Looking…')}</p>}
      {listed && items.length === 0 && <p>{next ? t('Nothing beside the prompt.') : t('Nothing was sent yet.')}</p>}
      <Left title={t('Left out of this prompt:')} items={next ? excluded : []} onBack={(what) => onExcluded(excluded.filter((other) => other !== what))} />
      <Left title={t('Left out of the session:')} items={lasting} onBack={(what) => void change(what, false, lasting.filter((other) => other !== what))} />
      {withheld.map(({ title, reason }) => (
        <p class="ledger-withheld" key={title}>
          <Icon name="warning" /> {visibleLine(title)}. {visibleLine(reason)}
        </p>
      ))}
      {[...byKind(items)].map(([kind, group]) => (
        <Group key={kind} kind={kind} items={group} onExclude={(what) => void exclude(what)} />
      ))}
      {next && items.length > 0 && (
        <label class="ledger-scope">
          <input type="checkbox" checked={session} onChange={(event) => setSession(event.currentTarget.checked)} />
          {t('Leave out of the whole session, and not of the next prompt alone')}
        </label>
      )}
    </div>
  );
}

function Left({ title, items, onBack }: { title: string; items: readonly Excluded[]; onBack: (what: Excluded) => void }) {
  if (items.length === 0) {
    return null;
  }
  return (
    <p class="ledger-left">
      {title}
      {items.map((what) => (
        <button key={what.label} class="link" onClick={() => onBack(what)}>
          {t('{0} (include again)', what.label)}
        </button>
      ))}
    </p>
  );
}

function Group({ kind, items, onExclude }: { kind: string; items: readonly ContextItem[]; onExclude: (what: Excluded) => void }) {
  const [open, setOpen] = useState(kind === 'editor' || kind === 'linked');
  const title = kindName(kind);
  return (
    <section aria-label={title}>
      <div class="ledger-group">
        <button class="ledger-kind" aria-expanded={open} onClick={() => setOpen(!open)}>
          <Icon name={open ? 'chevron-down' : 'chevron-right'} />
          <span>{title}</span>
          {items.length > 1 && <span class="ledger-count">{exact(items.length)}</span>}
        </button>
        <span class="ledger-size">{size(items.reduce((sum, item) => sum + item.size, 0))}</span>
        {excludable.has(kind) && <Leave name={title} onClick={() => onExclude({ kind, label: title })} />}
      </div>
      {open && (
        <ul>
          {items.map((item, index) => {
            const name = lastPart(item.source) || title;
            return (
              <li key={index}>
                <span class="ledger-source" title={visibleLine(item.source)}>
                  {name}
                </span>
                <span class="ledger-size">{size(item.size)}</span>
                {item.uri === undefined ? <span /> : <Leave name={name} onClick={() => onExclude({ uri: item.uri!, label: name })} />}
                <span class="ledger-reason">{visibleLine([item.reason, originName(item.origin)].filter(Boolean).join(' · '))}</span>
              </li>
            );
          })}
        </ul>
      )}
    </section>
  );
}

function Leave({ name, onClick }: { name: string; onClick: () => void }) {
  return (
    <button class="icon" title={t('Leave out')} aria-label={t('Leave out: {0}', name)} onClick={onClick}>
      <Icon name="eye-closed" />
    </button>
  );
}

/** What of it the server reads. */
export function keysOf(excluded: readonly Excluded[]): { kind: string; uri?: string }[] {
  return excluded.map(keyOf) as { kind: string; uri?: string }[];
}

function keyOf({ label: _, ...key }: Excluded): Omit<Excluded, 'label'> {
  return key;
}

/** The items of each kind, in the order of the kinds' first items. */
function byKind(items: readonly ContextItem[]): Map<string, ContextItem[]> {
  const groups = new Map<string, ContextItem[]>();
  for (const item of items) {
    groups.set(item.kind, [...(groups.get(item.kind) ?? []), item]);
  }
  return groups;
}

function lastPart(source: string): string {
  return visibleLine(source.slice(source.lastIndexOf('/') + 1));
}
