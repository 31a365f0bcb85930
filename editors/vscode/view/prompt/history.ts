/**
 * The prompts that were sent, for Up and Down. What is in the box counts as the
 * newest, and a prompt that was changed after it was brought back stays so until
 * something is sent: moving on loses nothing.
 */
export class History {
  private readonly sent: string[];
  private readonly changed = new Map<number, string>();
  private at: number;

  /** `sent` has the newest prompt last. */
  constructor(sent: readonly string[]) {
    this.sent = [...sent];
    this.at = this.sent.length;
  }

  /** Whether a prompt of the past is in the box. */
  get browsing(): boolean {
    return this.at < this.sent.length;
  }

  /** The prompt before the one in the box, whose text is `current`; undefined at the oldest. */
  previous(current: string): string | undefined {
    return this.move(-1, current);
  }

  /** The prompt after the one in the box; undefined at what was being written. */
  next(current: string): string | undefined {
    return this.move(1, current);
  }

  /** All that the user has written and not sent, while `current` is in the box: not what was brought back and left as it was. */
  written(current: string): string {
    if (!this.browsing) {
      return current;
    }
    const texts = new Map([...this.changed, [this.at, current]]);
    return [...texts].filter(([at, text]) => text !== '' && text !== this.sent[at]).map(([, text]) => text).join('\n');
  }

  /** Begins again at the newest. */
  reset(): void {
    this.changed.clear();
    this.at = this.sent.length;
  }

  /** Adds a prompt that was sent, and begins again at the newest. */
  add(text: string): void {
    if (text.trim() !== '' && text !== this.sent.at(-1)) {
      this.sent.push(text);
    }
    this.reset();
  }

  private move(by: number, current: string): string | undefined {
    const to = this.at + by;
    if (to < 0 || to > this.sent.length) {
      return undefined;
    }
    this.changed.set(this.at, current);
    this.at = to;
    return this.changed.get(to) ?? this.sent[to] ?? '';
  }
}
