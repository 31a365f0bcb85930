import type { Question } from '../../src/shared/wire';
import { visible, visibleLine } from '../../src/shared/visible';
import { t } from '../strings';
import { bounds, choose, chooseOther, options, takesOther, type Entry } from './form';

interface Props {
  /** Is unique in the view. */
  id: string;
  question: Question;
  entry: Entry;
  /** What is wrong with the entry, once that is to be said. */
  problem: string | undefined;
  onChange: (entry: Entry) => void;
  /** Enter was typed in a single line. */
  onEnter: () => void;
}

/** One question of a form, with its options or its field. */
export function Field(props: Props) {
  const { id, question, problem } = props;
  const error = problem !== undefined && (
    <p id={`${id}-problem`} class="question-problem" role="alert">
      <span class="codicon codicon-error" aria-hidden="true" />
      {problem}
    </p>
  );
  if (options(question).length === 0) {
    return (
      <div class="question-part">
        <label for={id}>
          <Text question={question} />
        </label>
        <Input {...props} />
        {error}
      </div>
    );
  }
  return (
    <fieldset class="question-part" aria-describedby={problem === undefined ? undefined : `${id}-problem`} aria-invalid={problem !== undefined}>
      <legend>
        <Text question={question} />
      </legend>
      <Choices {...props} />
      {error}
    </fieldset>
  );
}

/** What is asked. */
export function Text({ question: asked }: { question: Question }) {
  const { header, question, required } = asked;
  const within = bounds(asked);
  return (
    <>
      {header !== '' && <span class="question-header">{visibleLine(header)}</span>}
      <span class="question-words">{visible(question)}</span>
      {required && <span class="question-small"> {t('(required)')}</span>}
      {within !== '' && <span class="question-small"> {within}</span>}
    </>
  );
}

function Choices({ id, question, entry, onChange, onEnter }: Props) {
  const type = question.multiSelect ? 'checkbox' : 'radio';
  return (
    <>
      {options(question).map(({ value, label, description }) => (
        <label key={value} class="question-choice">
          <input
            type={type}
            name={id}
            checked={entry.chosen.includes(value)}
            onChange={() => onChange(choose(question, entry, value))}
            onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
          />
          <span class="question-label">
            {visibleLine(label)}
            {description !== '' && <small>{visible(description)}</small>}
          </span>
        </label>
      ))}
      {takesOther(question) && (
        <div class="question-choice">
          <input
            type={type}
            name={id}
            id={`${id}-other`}
            checked={entry.other}
            onChange={(event) => onChange(chooseOther(question, entry, event.currentTarget.checked))}
          />
          <label for={`${id}-other`}>{t('Something else')}</label>
          <input
            type="text"
            class="question-field"
            aria-label={t('Something else')}
            value={entry.text}
            onInput={(event) => {
              const text = event.currentTarget.value;
              onChange({ ...(text === '' ? entry : chooseOther(question, entry, true)), text });
            }}
            onKeyDown={(event) => enter(event, onEnter)}
          />
        </div>
      )}
    </>
  );
}

function Input({ id, question, entry, problem, onChange, onEnter }: Props) {
  const placeholder = question.placeholder ? visibleLine(question.placeholder) : example(question.format);
  const shared = {
    id,
    class: 'question-field',
    value: entry.text,
    placeholder,
    'aria-required': question.required === true,
    'aria-invalid': problem !== undefined,
    'aria-describedby': problem === undefined ? undefined : `${id}-problem`,
  };
  if (question.type === 'text' && question.format === undefined) {
    return <textarea {...shared} rows={2} onInput={(event) => onChange({ ...entry, text: event.currentTarget.value })} />;
  }
  const mode = { number: 'decimal', integer: 'numeric', url: 'url', text: 'text', choice: 'text', yesno: 'text' } as const;
  return (
    <input
      {...shared}
      type="text"
      inputMode={mode[question.type]}
      onInput={(event) => onChange({ ...entry, text: event.currentTarget.value })}
      onKeyDown={(event) => enter(event, onEnter)}
    />
  );
}

/** Shows how a text of a format is written. */
function example(format = ''): string | undefined {
  const text = { email: 'name@example.org', uri: 'https://example.org/page', date: '2026-01-31', 'date-time': '2026-01-31T14:30:00Z' }[format];
  return text && t('such as {0}', text);
}

function enter(event: KeyboardEvent, onEnter: () => void): void {
  if (event.key === 'Enter' && !event.isComposing && !event.repeat) {
    event.preventDefault();
    onEnter();
  }
}
