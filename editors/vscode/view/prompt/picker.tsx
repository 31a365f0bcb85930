import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Icon } from '../icon';
import { t, words } from '../strings';

export interface Option {
  id: string;
  label: string;
  detail?: string;
  /** Short facts, at the end of the line. */
  facts?: string;
  /** Why it cannot be chosen. */
  disabled?: string;
  warning?: boolean;
}

interface Props {
  id: string;
  label: string;
  options: readonly Option[];
  selected: string;
  /** Whether there is an input that narrows the list down. */
  filter: boolean;
  onChoose: (id: string) => void;
}

/** A list to choose one thing from, with arrow keys, typing, or the mouse. */
export function Picker({ id, label, options, selected, filter, onChoose }: Props) {
  const [word, setWord] = useState('');
  const shown = options.filter((option) => matches(option, word));
  const [active, setActive] = useState(() => Math.max(0, options.findIndex((option) => option.id === selected)));
  const list = useRef<HTMLUListElement | null>(null);
  const at = Math.min(active, shown.length - 1);
  useLayoutEffect(() => {
    list.current?.children[at]?.scrollIntoView({ block: 'nearest' });
  }, [at]);

  // What it is in may have waited for the options with the focus on itself.
  const first = useRef<HTMLElement | null>(null);
  useEffect(() => first.current?.focus(), []);

  const choose = (option: Option | undefined): void => {
    if (option && option.disabled === undefined) {
      onChoose(option.id);
    }
  };
  const setList = (element: HTMLUListElement | null): void => {
    list.current = element;
    if (!filter) {
      first.current = element;
    }
  };
  const keyed = (event: KeyboardEvent): void => {
    const last = shown.length - 1;
    const to = { ArrowDown: at >= last ? 0 : at + 1, ArrowUp: at <= 0 ? last : at - 1, Home: 0, End: last }[event.key];
    if (to !== undefined) {
      event.preventDefault();
      setActive(to);
    } else if ((event.key === 'Enter' && !event.isComposing) || (event.key === ' ' && !filter)) {
      event.preventDefault();
      choose(shown[at]);
    }
  };
  const active_ = shown.length > 0 ? { 'aria-activedescendant': `${id}-${at}` } : {};
  return (
    <div class="picker" onKeyDown={keyed}>
      {filter && (
        <input
          type="text"
          role="combobox"
          aria-label={label}
          aria-autocomplete="list"
          aria-expanded="true"
          aria-controls={id}
          {...active_}
          placeholder={t(words.typeToSearch)}
          ref={(element) => void (first.current = element)}
          onInput={(event) => {
            setWord(event.currentTarget.value);
            setActive(0);
          }}
        />
      )}
      <ul id={id} role="listbox" aria-label={label} ref={(element) => setList(element)} {...(filter ? {} : { tabIndex: 0, ...active_ })}>
        {shown.map((option, index) => (
          <li
            key={option.id}
            id={`${id}-${index}`}
            role="option"
            class={index === at ? 'active' : ''}
            aria-selected={option.id === selected}
            aria-disabled={option.disabled !== undefined}
            onPointerDown={(event) => event.preventDefault()}
            onPointerMove={() => setActive(index)}
            onClick={() => choose(option)}
          >
            <Icon name={option.id === selected ? 'check' : option.warning ? 'warning' : 'blank'} />
            <span class="option-label">{option.label}</span>
            {option.facts && <span class="option-facts">{option.facts}</span>}
            {(option.disabled ?? option.detail) && <span class="option-detail">{option.disabled ?? option.detail}</span>}
          </li>
        ))}
      </ul>
      {shown.length === 0 && <p class="picker-none">{t(words.nothingFound)}</p>}
    </div>
  );
}

function matches({ label, id, detail = '' }: Option, word: string): boolean {
  const text = `${label} ${id} ${detail}`.toLowerCase();
  return word
    .toLowerCase()
    .split(/\s+/)
    .every((part) => text.includes(part));
}
