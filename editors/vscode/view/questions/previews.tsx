import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { ChangeSet, CommandPart, PermissionPreview, PermissionRequest, ProgramSetting } from '../../src/shared/wire';
import { visible, visibleLine } from '../../src/shared/visible';
import { showDiff, useStore } from '../state';
import { t } from '../strings';
import { pathOf, shortPath } from '../format/paths';
import { ends } from './ends';

/** What a call would do, and why that is asked. A command comes before the reasons, which may be many. */
export function Preview({ request, why }: { request: PermissionRequest; why: ComponentChildren }) {
  const { preview = {}, toolCall } = request;
  if (preview.command !== undefined) {
    return <Command preview={preview} command={preview.command} sandbox={toolCall._meta?.emendo?.sandbox} why={why} />;
  }
  return (
    <>
      {why}
      <Effect request={request} />
    </>
  );
}

/** All that a call would do that is no command. Everything in it is untrusted, and shown as text. */
function Effect({ request }: { request: PermissionRequest }) {
  const { preview = {}, toolCall } = request;
  if (preview.paths) {
    return <Paths paths={preview.paths} />;
  }
  if (preview.urls) {
    return (
      <>
        <Addresses urls={preview.urls} />
        {preview.text !== undefined && <Code text={preview.text} label={t('Task')} />}
      </>
    );
  }
  if (preview.text !== undefined) {
    return <Code text={preview.text} label={t('Question')} />;
  }
  if (preview.serverName !== undefined) {
    return <Code text={JSON.stringify(preview.args ?? {}, null, 2)} label={t('Arguments')} />;
  }
  if (preview.executable) {
    return <Program executable={preview.executable} />;
  }
  if (preview.changeSetId !== undefined) {
    return <Edits changeSetId={preview.changeSetId} request={request} />;
  }
  return preview.planUri === undefined ? <p class="question-text">{visible(toolCall.title ?? '')}</p> : null;
}

/** Text that is read to the letter. */
export function Code({ text, label }: { text: string; label: string }) {
  return (
    <pre class="question-code" dir="ltr" tabIndex={0} role="region" aria-label={label}>
      <code>{visible(text)}</code>
    </pre>
  );
}

/** A command. Both ends of a long one are seen at once; what is between them is shown on demand. */
function CommandText({ text }: { text: string }) {
  const [whole, setWhole] = useState(false);
  const cut = whole ? undefined : ends(text, { height: window.innerHeight, width: window.innerWidth });
  return (
    <pre class="question-code question-command" dir="ltr" tabIndex={0} role="region" aria-label={t('Command')}>
      {cut ? (
        <>
          {cut.head !== '' && <code>{visible(cut.head)}</code>}
          <button type="button" class="question-link question-between" onClick={() => setWhole(true)}>
            {t('… {0} more characters …', cut.hidden)}
          </button>
          <code>{visible(cut.tail)}</code>
        </>
      ) : (
        <code>{visible(text)}</code>
      )}
    </pre>
  );
}

interface CommandProps {
  preview: PermissionPreview;
  command: string;
  sandbox: 'A' | 'B' | 'C' | undefined;
  why: ComponentChildren;
}

function Command({ preview, command, sandbox, why }: CommandProps) {
  const { cwd, parsed = [], commands, saves = [], unsaved = [] } = preview;
  const folders = useStore((state) => state.folders);
  const parts: readonly CommandPart[] = commands ?? parsed.map((text) => ({ text, decision: 'ask' as const }));
  const several = parts.length > 1;
  const decided = commands !== undefined;
  const allowed = decided ? parts.filter(({ decision }) => decision === 'allow') : parts;
  const reasons = parts.some(({ reason, rule }) => reason !== parts[0]?.reason || rule !== parts[0]?.rule);
  return (
    <>
      <CommandText text={command} />
      {why}
      {several && <Parts parts={worstFirst(parts.filter((part) => !allowed.includes(part)))} title={t('Needs your approval:')} decided={decided} reasons={reasons} />}
      <dl class="question-facts">
        {cwd !== undefined && <Fact name={t('Runs in')} text={shortPath(cwd, folders)} />}
        {sandbox !== undefined && <Fact name={t('Sandbox')} text={sandboxed(sandbox)} warns={sandbox === 'C'} />}
        {saves.length > 0 && <Fact name={t('Saves first')} text={names(saves, folders)} warns />}
        {unsaved.length > 0 && <Fact name={t('Does not see the unsaved text of')} text={names(unsaved, folders)} warns />}
      </dl>
      {several && <Parts parts={allowed} title={decided ? t('Needs no approval:') : t('Parts of the command:')} decided={decided} reasons={reasons} />}
    </>
  );
}

/** Sorts parts: what is denied, what could destroy something, and the rest, each in the order of the command. */
function worstFirst(parts: readonly CommandPart[]): readonly CommandPart[] {
  const rank = ({ decision, danger }: CommandPart): number => (decision === 'deny' ? 0 : danger !== undefined ? 1 : 2);
  return parts.toSorted((a, b) => rank(a) - rank(b));
}

function sandboxed(level: 'A' | 'B' | 'C'): string {
  switch (level) {
    case 'A':
      return t('Yes: it writes the workspace alone, and has no network');
    case 'B':
      return t('Partly: it writes the workspace alone and has no network, but could change metadata of other files');
    case 'C':
      return t('None: it can do whatever you can');
  }
}

function names(uris: readonly string[], folders: Parameters<typeof shortPath>[1]): string {
  return uris.map((uri) => shortPath(uri, folders)).join(', ');
}

function Fact({ name, text, warns = false }: { name: string; text: string; warns?: boolean }) {
  return (
    <div class={warns ? 'question-fact warns' : 'question-fact'}>
      <dt>
        {warns && <Warning />}
        {name}
      </dt>
      <dd>{text}</dd>
    </div>
  );
}

function Warning() {
  return <span class="codicon codicon-warning" role="img" aria-label={t('Warning')} />;
}

const icons = { allow: 'pass', ask: 'question', deny: 'error' } as const;

interface PartsProps {
  parts: readonly CommandPart[];
  title: string;
  /** Whether the policy has decided about each of them. */
  decided: boolean;
  /** Whether to give their reasons. One that all parts share is said once, above: it is that of the question. */
  reasons: boolean;
}

/** Parts of a command. */
function Parts({ parts, title, decided, reasons }: PartsProps) {
  const word = (decision: CommandPart['decision']): string => ({ allow: t('Allowed'), ask: t('Asks'), deny: t('Denied') })[decision];
  if (parts.length === 0) {
    return null;
  }
  return (
    <div>
      <p class="question-small">{title}</p>
      <ul class="question-parts" aria-label={title}>
        {parts.map((part, index) => (
          <li key={index} class={decided ? `part-${part.decision}` : ''}>
            {decided && <span class={`codicon codicon-${icons[part.decision]}`} role="img" aria-label={word(part.decision)} />}
            <span>
              <code dir="ltr">{visible(part.text)}</code>
              {part.danger && (
                <small class="warns">
                  <Warning />
                  {t('It could destroy something: {0}', visible(part.danger))}
                </small>
              )}
              {reasons && part.reason && <small>{visible(part.reason)}</small>}
              {reasons && part.rule && <small>{t('Rule: {0}', visibleLine(part.rule))}</small>}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Paths({ paths }: { paths: readonly string[] }) {
  const folders = useStore((state) => state.folders);
  return (
    <ul class="question-list">
      {paths.map((path) => (
        <li key={path}>
          <code dir="ltr">{shortPath(path, folders)}</code>
        </li>
      ))}
    </ul>
  );
}

function Addresses({ urls }: { urls: readonly string[] }) {
  return (
    <ul class="question-list">
      {urls.map((url) => (
        <li key={url}>
          <code dir="ltr">{visibleLine(url)}</code>
          {URL.canParse(url) && <small>{t('Host: {0}', new URL(url).host)}</small>}
        </li>
      ))}
    </ul>
  );
}

function Program({ executable }: { executable: NonNullable<PermissionPreview['executable']> }) {
  const { command, cwd, env, headers = [], hosts = [], scripts = [], changed } = executable;
  return (
    <>
      {changed && (
        <p class="question-text warns">
          <Warning /> {t('It has changed since it was approved.')}
        </p>
      )}
      <Code text={command} label={t('Command')} />
      <dl class="question-facts">
        {cwd && <Fact name={t('Folder')} text={visibleLine(cwd)} />}
        {env.length > 0 && <Fact name={t('Sets')} text={env.map(setting).join(', ')} />}
        {headers.length > 0 && <Fact name={t('Headers')} text={headers.map(setting).join(', ')} />}
        {hosts.length > 0 && <Fact name={t('Hosts')} text={hosts.map(visibleLine).join(', ')} />}
        {scripts.length > 0 && <Fact name={t('Files that it runs')} text={scripts.map(visibleLine).join(', ')} />}
      </dl>
    </>
  );
}

/** Returns a variable or a header as text. Programs before this version gave names alone. */
function setting(s: ProgramSetting | string): string {
  if (typeof s === 'string') {
    return visibleLine(s);
  }
  return visibleLine(s.value === undefined ? t('{0} (not shown)', s.name) : `${s.name}=${s.value}`);
}

function Edits({ changeSetId, request }: { changeSetId: string; request: PermissionRequest }) {
  const folders = useStore((state) => state.folders);
  const set = useStore((state) => state.changes.get(changeSetId));
  const paths = set
    ? set.files.map(({ uri }) => pathOf(uri))
    : (request.toolCall.content ?? []).flatMap((content) => (content.type === 'diff' ? [content.path] : []));
  return (
    <>
      <ul class="question-list">
        {paths.map((path, index) => (
          <li key={path}>
            <code dir="ltr">{shortPath(path, folders)}</code>
            {set && <small>{counts(set, index)}</small>}
          </li>
        ))}
      </ul>
      <button type="button" class="question-link" onClick={() => showDiff(changeSetId)}>
        {t('Show the changes')}
      </button>
    </>
  );
}

function counts(set: ChangeSet, index: number): string {
  const lines = (text: string): number => (text === '' ? 0 : text.split('\n').length - (text.endsWith('\n') ? 1 : 0));
  const hunks = set.files[index]?.hunks ?? [];
  return `+${hunks.reduce((sum, { newText }) => sum + lines(newText), 0)} −${hunks.reduce((sum, { oldText }) => sum + lines(oldText), 0)}`;
}
