import type { SessionUpdate } from '../../src/shared/wire';

/**
 * Collects a session's history while it is loaded: what is replayed, and what
 * comes live meanwhile. Every load of a session replays it from the start to all
 * views, so the end of another load's replay may come before our own.
 */
export class History {
  private replayed: SessionUpdate[] = [];
  private live: SessionUpdate[] = [];
  private lastSeq = 0;

  constructor(readonly sessionId: string) {}

  take(update: SessionUpdate): void {
    if (!update.replay) {
      this.live.push(update);
      return;
    }
    if (update.seq !== undefined) {
      if (update.seq <= this.lastSeq) {
        this.replayed = []; // another replay begins
      }
      this.lastSeq = update.seq;
    }
    this.replayed.push(update);
  }

  /** All updates, those of the history first. */
  updates(): SessionUpdate[] {
    return [...this.replayed, ...this.live];
  }
}
