/** How long what has just appeared, or moved, takes no answer; milliseconds. */
export const hold = 500;

export interface Place {
  left: number;
  top: number;
  width: number;
  height: number;
}

/**
 * Tells answers that were meant for what is shown from clicks and keys that were
 * on their way to something else: it is not ready until its place has been the
 * same for `hold`.
 */
export class Guard {
  private place: Place | undefined;
  private since: number;

  /** `now` is a clock in milliseconds that never goes back. */
  constructor(private readonly now: () => number) {
    this.since = now();
  }

  /** Takes where the answers are now. */
  moved(place: Place): void {
    if (!this.place || !same(this.place, place)) {
      this.place = place;
      this.since = this.now();
    }
  }

  /** Reports whether an answer counts that is given now, with the answers at `place`. */
  ready(place: Place): boolean {
    this.moved(place);
    return this.now() - this.since >= hold;
  }
}

/** Less than this is no movement; pixels. */
const still = 2;

function same(a: Place, b: Place): boolean {
  return (['left', 'top', 'width', 'height'] as const).every((side) => Math.abs(a[side] - b[side]) < still);
}
