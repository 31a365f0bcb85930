import type { ComponentProps } from 'preact';

/** An icon of the editor's own set, by its name without `codicon-`. It says nothing to screen readers: what it stands on has a label. */
export function Icon({ name, spin = false }: { name: string; spin?: boolean }) {
  return <span class={`codicon codicon-${name}${spin ? ' codicon-modifier-spin' : ''}`} aria-hidden="true" />;
}

interface Props extends ComponentProps<'button'> {
  icon: string;
  title: string;
  /** What a screen reader says, if it is more than the title. */
  label?: string;
}

/** A button that is an icon. */
export function IconButton({ icon, title, label = title, class: name = 'icon-button', ...rest }: Props) {
  return (
    <button type="button" class={name} title={title} aria-label={label} {...rest}>
      <Icon name={icon} />
    </button>
  );
}
