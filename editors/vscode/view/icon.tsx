/** An icon of the editor's own set, by its name without `codicon-`. It says nothing to screen readers: what it stands on has a label. */
export function Icon({ name, spin = false }: { name: string; spin?: boolean }) {
  return <span class={`codicon codicon-${name}${spin ? ' codicon-modifier-spin' : ''}`} aria-hidden="true" />;
}
