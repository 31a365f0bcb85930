/** How often a server that dies is started again before the user is asked. */
const most = 4;
/** Deaths that are longer ago than this do not count, in milliseconds. */
const window = 3 * 60_000;

/** Decides when a server that died is started again. */
export class Restarts {
  private deaths: number[] = [];

  /**
   * Records a death, at a time in milliseconds, and returns how many milliseconds
   * to wait before the next start; undefined when it died too often.
   */
  died(now: number): number | undefined {
    this.deaths = [...this.deaths.filter((at) => now - at < window), now];
    const count = this.deaths.length;
    if (count > most) {
      return undefined;
    }
    return count === 1 ? 0 : 500 * 2 ** (count - 1);
  }

  /** Forgets all deaths: the user has started the server again. */
  forget(): void {
    this.deaths = [];
  }
}
