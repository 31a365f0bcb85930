/** An entry of the list below the box. */
export interface Entry {
  label: string;
  /** Whether it is what is typed, or what was asked for earlier. */
  entryKind: 'typed' | 'earlier';
}

/** The part of VS Code's quick pick that asks for an instruction. */
export interface Box<E extends Entry> {
  value: string;
  items: readonly E[];
  readonly activeItems: readonly E[];
  onDidChangeValue(listener: () => void): unknown;
  onDidAccept(listener: () => void): unknown;
  onDidHide(listener: () => void): unknown;
  show(): void;
  hide(): void;
  dispose(): void;
}

/**
 * Asks for an instruction, and returns it without the space around it; undefined if the
 * user closes the box. What is in the box counts. The list is drawn a round trip after
 * the keys, so that its active entry may be one of before; it counts in an empty box alone,
 * which is where earlier instructions are offered.
 */
export function askIn<E extends Entry>(box: Box<E>, earlier: readonly string[], entry: (label: string, entryKind: Entry['entryKind']) => E): Promise<string | undefined> {
  const offer = (): void => {
    const typed = box.value.trim();
    box.items = typed === '' ? earlier.map((label) => entry(label, 'earlier')) : [entry(typed, 'typed')];
  };
  offer();
  box.onDidChangeValue(offer);
  return new Promise((resolve) => {
    box.onDidAccept(() => {
      const active = box.activeItems[0];
      const wanted = box.value.trim() || (active?.entryKind === 'earlier' ? active.label : '');
      if (wanted !== '') {
        resolve(wanted);
        box.hide();
      }
    });
    box.onDidHide(() => {
      resolve(undefined);
      box.dispose();
    });
    box.show();
  });
}
