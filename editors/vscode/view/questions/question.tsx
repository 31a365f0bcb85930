import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Action, Field as Asked, Question as Shown } from '../../src/shared/view';
import { server } from '../bridge';
import { Icon } from '../icon';
import { answer, fail, getState } from '../state';
import { t, words } from '../strings';
import { Answer, Card, type Guarded } from './card';
import { Content } from './content';
import { draftOf } from './drafts';
import { start, values, type Entries, type Entry } from './entries';
import { enter, Field, Label } from './field';
import { setDraft } from './kept';

const signs: Record<string, string> = { plan: 'checklist', form: 'question', pick: 'question', delete_session: 'trash', which_file: 'file-code' };
const icons: Record<string, string> = {
  allow_once: 'check',
  allow_always: 'check-all',
  reject_once: 'close',
  reject_always: 'circle-slash',
  reject_why: 'comment',
  answer: 'send',
  decline: 'circle-slash',
  cancel: 'close',
  delete: 'trash',
};

/** An open question: what is asked, the fields of a form, and the answers. */
export function Question({ question: shown, onAnswered = () => {} }: { question: Shown; onAnswered?: (option: string) => void }) {
  const question = useWhole(shown);
  const { id, code, title, from, fields = [], options } = question;
  const form = useForm(question, onAnswered);
  const [first, ...others] = options;
  const [only] = fields;
  /** A single choice is answered by its choices. */
  const direct = fields.length === 1 && only!.choices && !only!.many && !only!.values?.length ? only : undefined;
  /** The answer that says why, and whether its fields are shown. */
  const explained = options.find(({ fields }) => fields && fields.length > 0);
  const [opened, setOpened] = useState(code === 'plan' || (explained?.fields ?? []).some((field) => form.entry(field).text !== ''));
  const reason = useRef<HTMLTextAreaElement>(null);

  const send = (): void => void form.give(first!, fields);
  const explain = (): void => {
    if (explained && explained.fields!.every((field) => values(field, form.entry(field)).length > 0)) {
      void form.give(explained, explained.fields!);
    }
  };
  const choose = (option: Action): void => {
    if (option === explained) {
      setOpened(true);
      requestAnimationFrame(() => reason.current?.focus());
      return;
    }
    const why = option.look?.startsWith('reject') ? form.text(explained?.fields) : '';
    void form.give(option, [], why);
  };
  const plain = fields.length > 0 ? others : opened ? options.filter((option) => option !== explained) : options;
  const keys = direct
    ? direct.choices!.map(({ value }) => () => void form.give(first!, [], '', { [direct.id]: [value] }))
    : fields.length > 0
      ? []
      : options.map((option) => () => choose(option));

  const answers = (guarded: Guarded) => (
    <>
      {explained && opened && explained.fields!.map((field) => <Reason key={field.id} field={field} entry={form.entry(field)} input={reason} onChange={(entry) => form.change(field, entry)} onEnter={explain} />)}
      {direct && <Direct field={direct} entry={form.entry(direct)} choices={keys} guarded={guarded} onChange={(entry) => form.change(direct, entry)} send={send} title={first!.title.text} />}
      {fields.length > 0 && !direct && <Answer icon="send" label={first!.title.text} title={t('{0} (Ctrl+Enter)', first!.title.text)} onClick={() => guarded(send)} />}
      {plain.map((option) => (
        <Answer
          key={option.id}
          {...(fields.length === 0 && { number: options.indexOf(option) + 1 })}
          {...(icons[option.look ?? ''] !== undefined && { icon: icons[option.look!]! })}
          label={option.title.text}
          {...(option.detail && { [fields.length > 0 ? 'title' : 'detail']: option.detail.text })}
          onClick={() => (option === explained ? choose(option) : guarded(() => choose(option)))}
        />
      ))}
    </>
  );
  return (
    <Card id={id} icon={signs[code] ?? 'shield'} title={title.text} aside={from?.text} keys={keys} answers={answers}>
      <Content {...question} />
      {direct ? (
        <div>
          <Label field={direct} />
        </div>
      ) : (
        fields.length > 0 && (
          <div ref={form.element} onKeyDown={(event) => (event.ctrlKey || event.metaKey) && enter(event, send)}>
            {fields.map((field) => (
              <Field
                key={field.id}
                id={`question-${id}-${field.id}`}
                field={field}
                entry={form.entry(field)}
                problem={form.problems[field.id]}
                onChange={(entry) => form.change(field, entry)}
                onEnter={() => fields.length === 1 && send()}
              />
            ))}
          </div>
        )
      )}
    </Card>
  );
}

/** The question with all of its parts, of which the server cuts long ones. */
function useWhole(question: Shown): Shown {
  const [whole, setWhole] = useState<Shown>();
  const cut = question.parts.some(({ omitted }) => omitted);
  useEffect(() => {
    if (cut) {
      server<{ question?: Shown }>('emendo/view/item', { id: question.id }).then(
        ({ question }) => setWhole(question),
        () => {}, // it says how much is left out
      );
    }
  }, [question.id, cut]);
  return whole ?? question;
}

interface Form {
  element: RefObject<HTMLDivElement | null>;
  entry: (field: Asked) => Entry;
  change: (field: Asked, entry: Entry) => void;
  /** All that is written in fields. */
  text: (fields?: readonly Asked[]) => string;
  /** What the server says is wrong, by the ids of fields. */
  problems: Readonly<Record<string, string>>;
  /** Gives an answer with the values of fields, or with others, or with a text. */
  give: (option: Action, fields: readonly Asked[], text?: string, others?: Record<string, string[]>) => Promise<void>;
}

/** What the user enters for a question. It is kept until it is sent. */
function useForm(question: Shown, answered: (option: string) => void): Form {
  const { id } = question;
  const [entries, setEntries] = useState<Entries>(() => getState().answers[id]?.entries ?? {});
  const latest = useRef(entries); // also before they are drawn: changes may come faster
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({});
  const element = useRef<HTMLDivElement>(null);
  const entry = (field: Asked): Entry => latest.current[field.id] ?? start(field);
  return {
    element,
    entry,
    change: (field, changed) => {
      latest.current = { ...latest.current, [field.id]: changed };
      setEntries(latest.current);
      const { [field.id]: _, ...left } = problems;
      setProblems(left);
      setDraft(id, draftOf(question, latest.current));
    },
    text: (fields = []) => fields.map((field) => entry(field).text.trim()).join('\n'),
    problems,
    give: async (option, fields, text = '', others) => {
      const sent = fields.length > 0 || text !== '' || others !== undefined;
      const draft = getState().answers[id];
      if (sent) {
        setDraft(id, undefined); // it is on its way; what is not sent stays to be copied
      }
      const given = others ?? Object.fromEntries(fields.map((field) => [field.id, values(field, entry(field))]));
      const done = await answer(id, option.id, { ...(Object.keys(given).length > 0 && { values: given }), ...(text !== '' && { text }) }).catch(fail);
      const wrong = done?.problems ?? [];
      if (done && wrong.length === 0) {
        answered(option.id);
        return;
      }
      setDraft(id, draft);
      setProblems(Object.fromEntries(wrong.map(({ field, text }) => [field, text.text])));
      requestAnimationFrame(() => element.current?.querySelector<HTMLElement>('[aria-invalid=true]:is(input, textarea), [aria-invalid=true] input')?.focus());
    },
  };
}

interface ReasonProps {
  field: Asked;
  entry: Entry;
  input: RefObject<HTMLTextAreaElement | null>;
  onChange: (entry: Entry) => void;
  onEnter: () => void;
}

/** The field of an answer that says why. */
function Reason({ field: { label }, entry, input, onChange, onEnter }: ReasonProps) {
  return (
    <textarea
      ref={input}
      class="question-field"
      rows={2}
      aria-label={label.text}
      placeholder={t(words.enterSends, label.text)}
      value={entry.text}
      onInput={(event) => onChange({ ...entry, text: event.currentTarget.value })}
      onKeyDown={(event) => enter(event, onEnter)}
    />
  );
}

interface DirectProps {
  field: Asked;
  entry: Entry;
  /** Give each of the choices. */
  choices: readonly (() => void)[];
  guarded: Guarded;
  onChange: (entry: Entry) => void;
  send: () => void;
  /** What sending is called. */
  title: string;
}

/** The choices of a single one, which answer at once, and the field for an answer of one's own. */
function Direct({ field, entry, choices, guarded, onChange, send, title }: DirectProps) {
  return (
    <>
      {field.choices!.map(({ value, title, detail }, index) => (
        <Answer key={value} number={index + 1} label={title.text} {...(detail && { detail: detail.text })} onClick={() => guarded(choices[index]!)} />
      ))}
      {field.other && (
        <div class="question-own">
          <input
            type="text"
            class="question-field"
            aria-label={t(words.somethingElse)}
            placeholder={t(words.somethingElse)}
            value={entry.text}
            onInput={(event) => onChange({ ...entry, other: event.currentTarget.value.trim() !== '', text: event.currentTarget.value })}
            onKeyDown={(event) => enter(event, () => entry.other && send())}
          />
          <button type="button" class="question-answer" aria-label={title} title={title} disabled={!entry.other} onClick={() => guarded(send)}>
            <Icon name="send" />
          </button>
        </div>
      )}
    </>
  );
}
