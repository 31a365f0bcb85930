import type { SessionInfo, StopReason } from './shared/wire';

/** What a user who does not see a session wants to be told of it. */
export type News = 'finished' | 'failed' | 'review';

/**
 * Follows what sessions do. The end of a turn is news only when none follows it
 * from the queue, and none of the user's own doing.
 */
export class SessionNews {
  private readonly infos = new Map<string, SessionInfo>();
  private readonly ended = new Map<string, StopReason>();

  /** What the server said of a session last. */
  info(sessionId: string): SessionInfo | undefined {
    return this.infos.get(sessionId);
  }

  /** Takes emendo/sessions/didChange. `asks` is whether a question of the session is open, which is news of its own. */
  changed(session: SessionInfo, asks: boolean): News | undefined {
    const before = this.infos.get(session.sessionId);
    this.infos.set(session.sessionId, session);
    if (session.status === 'idle') {
      return this.finish(session.sessionId);
    }
    // The end of a turn is kept: this may be an older status that came late, and a queued turn ends by itself.
    const waits = session.status === 'waiting' && before?.status !== 'waiting';
    return waits && !asks && (session.pendingHunks ?? 0) > 0 ? 'review' : undefined;
  }

  /** Takes the end of a turn. */
  turnEnded(sessionId: string, reason: StopReason): News | undefined {
    this.ended.set(sessionId, reason);
    return this.infos.get(sessionId)?.status === 'idle' ? this.finish(sessionId) : undefined;
  }

  private finish(sessionId: string): News | undefined {
    const reason = this.ended.get(sessionId);
    this.ended.delete(sessionId);
    switch (reason) {
      case undefined:
      case 'cancelled':
        return undefined;
      case '_emendo/error':
      case '_emendo/blocked':
        return 'failed';
      default:
        return 'finished';
    }
  }
}
