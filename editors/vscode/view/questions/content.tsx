import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Line, Part, Place, Question } from '../../src/shared/view';
import { visible } from '../../src/shared/visible';
import { Markdown } from '../markdown/markdown';
import { answer, fail } from '../state';
import { t, words } from '../strings';
import { DiffView } from '../transcript/diff_view';
import { openPlace } from '../transcript/lines';
import { ends } from './ends';

/** All that is to be known before an answer. What a command does is seen before the reasons, which may be many. */
export function Content({ id, code, parts, lines }: Question) {
  const diffs = parts.filter(({ kind }) => kind === 'diff');
  const why = lines.filter(({ id, label }) => !label || id === 'rule');
  const facts = lines.filter((line) => !why.includes(line));
  const reasons = why.map((line, index) => <Reason key={index} line={line} />);
  return (
    <>
      {code !== 'command' && reasons}
      {parts.map((part, index) => (
        <Shown key={index} of={id} part={part} compare={() => void answer(id, `diff:${diffs.indexOf(part)}`, {}).catch(fail)} />
      ))}
      {code === 'command' && reasons}
      <Facts of={id} lines={facts} />
    </>
  );
}

function Reason({ line: { label, text, look } }: { line: Line }) {
  const warns = look === 'warning';
  return (
    <p class={`${label ? 'question-small' : 'question-text'}${warns ? ' warns' : ''}`}>
      {warns && <Warning />}
      {label ? `${label.text}: ${text.text}` : text.text}
    </p>
  );
}

/** A part. Everything in it is untrusted, and but for Markdown shown as text. The texts of a diff are compared in the editor. */
function Shown({ of, part, compare }: { of: string; part: Part; compare: () => void }) {
  const { kind, label, text = '', rows = [], lang } = part;
  const name = label?.text ?? '';
  switch (kind) {
    case 'markdown':
      return (
        <div class="question-plan" tabIndex={0} role="region" aria-label={name}>
          <Markdown text={text} act={(actionId, more) => answer(of, actionId, more)} />
        </div>
      );
    case 'diff':
      return (
        <div>
          <button type="button" class="question-link" onClick={compare}>
            {name}
          </button>
          <DiffView rows={rows} label={name} />
          <Omitted part={part} />
        </div>
      );
    case 'code':
    case 'text':
    case 'output':
      return (
        <>
          {lang === 'sh' ? <Command text={text} label={name} /> : <Code text={text} label={name} />}
          <Omitted part={part} />
        </>
      );
    case 'image':
      return null;
  }
}

function Omitted({ part: { omitted = 0 } }: { part: Part }) {
  return omitted > 0 ? <p class="question-small">{t(words.betweenCharacters, omitted)}</p> : null;
}

/** Text that is read to the letter. */
function Code({ text, label }: { text: string; label: string }) {
  return (
    <pre class="question-code" dir="ltr" tabIndex={0} role="region" aria-label={label}>
      <code>{visible(text)}</code>
    </pre>
  );
}

/** A command. Both ends of a long one are seen at once; what is between them is shown on demand. */
function Command({ text, label }: { text: string; label: string }) {
  const [whole, setWhole] = useState(false);
  const cut = whole ? undefined : ends(text, { height: window.innerHeight, width: window.innerWidth });
  return (
    <pre class="question-code question-command" dir="ltr" tabIndex={0} role="region" aria-label={label}>
      {cut ? (
        <>
          {cut.head !== '' && <code>{visible(cut.head)}</code>}
          <button type="button" class="question-link question-between" onClick={() => setWhole(true)}>
            {t(words.betweenCharacters, cut.hidden)}
          </button>
          <code>{visible(cut.tail)}</code>
        </>
      ) : (
        <code>{visible(text)}</code>
      )}
    </pre>
  );
}

interface Told {
  line: Line;
  /** What is said about it, if it is a part of a command. */
  about: Line[];
}

/** Facts in their order; the parts of a command are a list among them. */
function Facts({ of, lines }: { of: string; lines: readonly Line[] }) {
  const all: Told[] = [];
  for (const line of lines) {
    const last = all.at(-1);
    if (last?.line.id === 'part' && ofPart.has(line.id)) {
      last.about.push(line);
    } else {
      all.push({ line, about: [] });
    }
  }
  const isPart = ({ line }: Told): boolean => line.id === 'part';
  const first = all.findIndex(isPart);
  return (
    <>
      <List of={of} lines={all.slice(0, first < 0 ? all.length : first)} />
      {first >= 0 && <Parts parts={all.filter(isPart)} />}
      {first >= 0 && <List of={of} lines={all.slice(first).filter((told) => !isPart(told))} />}
    </>
  );
}

/** What is said about the part of a command before it. */
const ofPart: ReadonlySet<string | undefined> = new Set(['danger', 'part_reason', 'part_rule']);

function List({ of, lines }: { of: string; lines: readonly Told[] }) {
  return lines.length === 0 ? null : (
    <dl class="question-facts">
      {lines.map(({ line: { label, text, look, place } }, index) => (
        <div key={index} class={look === 'warning' ? 'question-fact warns' : 'question-fact'}>
          <dt>
            {look === 'warning' && <Warning />}
            {label!.text}
          </dt>
          <dd>
            <Named of={of} text={place ? (text.short ?? text.text) : text.text} title={text.text} place={place} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** A text that opens its place, if it has one. */
function Named({ of, text, title, place }: { of: string; text: string; title: string; place: Place | undefined }) {
  return place ? (
    <button type="button" class="question-link" title={title} onClick={() => openPlace(of, place)}>
      {text}
    </button>
  ) : (
    <>{text}</>
  );
}

const icons: Record<string, string> = { allow: 'pass', ask: 'question', deny: 'error' };

/** The parts of a command. */
function Parts({ parts }: { parts: readonly Told[] }) {
  return (
    <ul class="question-parts">
      {parts.map(({ line: { label, text, look = '' }, about }, index) => (
        <li key={index} class={`part-${look}`}>
          {icons[look] !== undefined && <span class={`codicon codicon-${icons[look]}`} role="img" aria-label={label?.text} title={label?.text} />}
          <span>
            <code dir="ltr">{text.text}</code>
            {about.map(({ id, label, text, look }) => (
              <small key={id} class={look === 'warning' ? 'warns' : undefined}>
                {look === 'warning' && <Warning />}
                {id === 'part_reason' ? text.text : `${label?.text}: ${text.text}`}
              </small>
            ))}
          </span>
        </li>
      ))}
    </ul>
  );
}

function Warning(): ComponentChildren {
  return <span class="codicon codicon-warning" role="img" aria-label={t('Warning')} />;
}
