import type { Field as Asked } from '../../src/shared/view';
import { Icon } from '../icon';
import { t, words } from '../strings';
import { choose, chooseOther, type Entry } from './entries';

interface Props {
  /** Is unique in the view. */
  id: string;
  field: Asked;
  entry: Entry;
  /** What the server says is wrong with the entry. */
  problem: string | undefined;
  onChange: (entry: Entry) => void;
  /** Enter was typed in a single line. */
  onEnter: () => void;
}

/** One question of a form, with its choices or its input. */
export function Field(props: Props) {
  const { id, field, problem } = props;
  const error = problem !== undefined && (
    <p id={`${id}-problem`} class="question-problem" role="alert">
      <Icon name="error" />
      {problem}
    </p>
  );
  if (!field.choices) {
    return (
      <div class="question-part">
        <label for={id}>
          <Label field={field} />
        </label>
        <Input {...props} />
        {error}
      </div>
    );
  }
  return (
    <fieldset class="question-part" aria-describedby={problem === undefined ? undefined : `${id}-problem`} aria-invalid={problem !== undefined}>
      <legend>
        <Label field={field} />
      </legend>
      <Choices {...props} />
      {error}
    </fieldset>
  );
}

/** What is asked. */
export function Label({ field: { label, hint } }: { field: Asked }) {
  return (
    <>
      {label.short !== undefined && <span class="question-header">{label.short}</span>}
      <span class="question-words">{label.text}</span>
      {hint && <span class="question-small"> {hint.text}</span>}
    </>
  );
}

function Choices({ id, field, entry, onChange, onEnter }: Props) {
  const type = field.many ? 'checkbox' : 'radio';
  return (
    <>
      {field.choices!.map(({ value, title, detail }) => (
        <label key={value} class="question-choice">
          <input
            type={type}
            name={id}
            checked={entry.chosen.includes(value)}
            onChange={() => onChange(choose(field, entry, value))}
            onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
          />
          <span class="question-label">
            {title.text}
            {detail && <small>{detail.text}</small>}
          </span>
        </label>
      ))}
      {field.other && (
        <div class="question-choice">
          <input
            type={type}
            name={id}
            id={`${id}-other`}
            checked={entry.other}
            onChange={(event) => onChange(chooseOther(field, entry, event.currentTarget.checked))}
          />
          <label for={`${id}-other`}>{t(words.somethingElse)}</label>
          <input
            type="text"
            class="question-field"
            aria-label={t(words.somethingElse)}
            value={entry.text}
            onInput={(event) => {
              const text = event.currentTarget.value;
              onChange({ ...(text === '' ? entry : chooseOther(field, entry, true)), text });
            }}
            onKeyDown={(event) => enter(event, onEnter)}
          />
        </div>
      )}
    </>
  );
}

function Input({ id, field: { type, required }, entry, problem, onChange, onEnter }: Props) {
  const shared = {
    id,
    class: 'question-field',
    value: entry.text,
    'aria-required': required === true,
    'aria-invalid': problem !== undefined,
    'aria-describedby': problem === undefined ? undefined : `${id}-problem`,
  };
  if (type === 'text') {
    return <textarea {...shared} rows={2} onInput={(event) => onChange({ ...entry, text: event.currentTarget.value })} />;
  }
  const mode = { line: 'text', number: 'decimal', url: 'url', choice: 'text' } as const;
  return (
    <input
      {...shared}
      type="text"
      inputMode={mode[type]}
      onInput={(event) => onChange({ ...entry, text: event.currentTarget.value })}
      onKeyDown={(event) => enter(event, onEnter)}
    />
  );
}

/** Calls a function when a key event is Enter that ends a line. */
export function enter(event: KeyboardEvent, onEnter: () => void): void {
  if (event.key === 'Enter' && !event.shiftKey && !event.isComposing && !event.repeat) {
    event.preventDefault();
    onEnter();
  }
}
