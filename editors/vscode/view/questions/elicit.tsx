import { useRef, useState } from 'preact/hooks';
import type { AskedQuestion } from '../../src/shared/messages';
import type { ElicitAnswer, ElicitRequest, Question } from '../../src/shared/wire';
import { visibleLine } from '../../src/shared/visible';
import { answer } from '../state';
import { t } from '../strings';
import { Answer, Card, type Around } from './card';
import { keyOf, ownerOf } from './drafts';
import { Field, Text } from './field';
import { hasDefault, options, problem, start, takesOther, values, type Entry } from './form';
import { getDrafts, setDraft } from './kept';

type Asked = Extract<AskedQuestion, { kind: 'elicit' }>;

/** Questions of the model's, or a form of an MCP server's. */
export function Elicit({ asked }: { asked: Asked }) {
  const { questions } = asked.request;
  const key = keyOf(asked);
  const [entries, setEntries] = useState<readonly Entry[]>(() => getDrafts()[key]?.entries ?? questions.map(start));
  const latest = useRef(entries); // also before they are drawn: changes may come faster
  const [checked, setChecked] = useState(false);
  const form = useRef<HTMLDivElement>(null);
  const [only] = questions;
  /** A single choice is answered by its options. */
  const direct = only !== undefined && questions.length === 1 && options(only).length > 0 && !only.multiSelect && !hasDefault(only);

  const change = (index: number, entry: Entry): void => {
    const next = latest.current.map((other, at) => (at === index ? entry : other));
    latest.current = next;
    setEntries(next);
    setDraft(key, { ...ownerOf(asked), asked: visibleLine(only?.question ?? ''), entries: next, feedback: '' });
  };
  const give = (result: ElicitAnswer): void => {
    if ('answers' in result) {
      setDraft(key, undefined); // what is not sent stays to be copied
    }
    answer(asked.question, result);
  };
  const send = (): void => {
    const now = latest.current;
    if (questions.every((question, index) => problem(question, now[index]!) === undefined)) {
      give({ answers: questions.map((question, index) => ({ values: values(question, now[index]!) })) });
      return;
    }
    setChecked(true);
    requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-invalid=true]:is(input, textarea), [aria-invalid=true] input')?.focus());
  };
  const choices = direct ? options(only).map(({ value }) => () => give({ answers: [{ values: [value] }] })) : [];

  const answers = ({ answer }: Around) => (
    <>
      {direct ? (
        <Direct question={only} entry={entries[0]!} choices={choices} around={{ answer }} onChange={(entry) => change(0, entry)} send={send} />
      ) : (
        <Answer icon="send" label={t('Send')} title={t('Send (Ctrl+Enter)')} onClick={() => answer(send)} />
      )}
      <Answer icon="circle-slash" label={t('Decline')} title={t('Say that you do not want to answer')} onClick={() => answer(() => give({ declined: true }))} />
      <Answer icon="close" label={t('Close')} title={t('Leave it unanswered')} onClick={() => answer(() => give({ cancelled: true }))} />
    </>
  );
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && !event.isComposing && !event.repeat) {
      event.preventDefault();
      send();
    }
  };
  return (
    <Card id={String(asked.question)} icon="question" title={titleOf(asked.request)} aside={asked.aside} keys={choices} answers={answers}>
      {direct ? (
        <div>
          <Text question={only} />
        </div>
      ) : (
        <div ref={form} onKeyDown={onKeyDown}>
          {questions.map((question, index) => (
            <Field
              key={index}
              id={`question-${asked.question}-${index}`}
              question={question}
              entry={entries[index]!}
              problem={checked ? problem(question, entries[index]!) : undefined}
              onChange={(entry) => change(index, entry)}
              onEnter={() => questions.length === 1 && send()}
            />
          ))}
        </div>
      )}
    </Card>
  );
}

function titleOf({ toolCallId, serverName, questions }: ElicitRequest): string {
  if (serverName !== undefined) {
    return t('The MCP server {0} asks', visibleLine(serverName));
  }
  if (toolCallId === undefined) {
    return t('Emendo asks');
  }
  return questions.length === 1 ? t('The model asks') : t('The model asks {0} questions', questions.length);
}

interface DirectProps {
  question: Question;
  entry: Entry;
  /** Give each of the options. */
  choices: readonly (() => void)[];
  around: Around;
  onChange: (entry: Entry) => void;
  send: () => void;
}

/** The options of a single choice, which answer at once, and the field for an answer of one's own. */
function Direct({ question, entry, choices, around, onChange, send }: DirectProps) {
  return (
    <>
      {options(question).map(({ value, label, description }, index) => (
        <Answer key={value} number={index + 1} label={visibleLine(label)} detail={visibleLine(description)} onClick={() => around.answer(choices[index]!)} />
      ))}
      {takesOther(question) && (
        <div class="question-own">
          <input
            type="text"
            class="question-field"
            aria-label={t('Something else')}
            placeholder={t('Something else')}
            value={entry.text}
            onInput={(event) => onChange({ ...entry, other: event.currentTarget.value.trim() !== '', text: event.currentTarget.value })}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && !event.isComposing && !event.repeat) {
                event.preventDefault();
                if (entry.other) {
                  send();
                }
              }
            }}
          />
          <button type="button" class="question-answer" aria-label={t('Send')} title={t('Send')} disabled={!entry.other} onClick={() => around.answer(send)}>
            <span class="codicon codicon-send" aria-hidden="true" />
          </button>
        </div>
      )}
    </>
  );
}
