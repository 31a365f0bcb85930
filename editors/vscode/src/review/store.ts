import type { ChangeDelta, ChangeSet, ChangesDidChange, FileChange, Hunk, HunkState } from '../shared/wire';

/** A hunk, with what it belongs to. The object stays the same while the hunk exists. */
export interface ReviewHunk {
  id: string;
  set: ChangeSet;
  file: FileChange;
  hunk: Hunk;
  /** The hunk's place in `file.hunks`. */
  index: number;
  /** The file's URI, spelled as the editor spells it. */
  uri: string;
  /** Whether it was accepted without the user being asked, and the user has sent no prompt since. */
  applied: boolean;
}

export interface StoreOptions {
  /** Returns a URI as the editor spells it. */
  spell: (uri: string) => string;
  /** Requests the whole change set: a notification about it was missed. */
  missed: (changeSetId: string) => void;
  /** Reports whether the turn that proposed a change set is running and applies edits without asking. */
  appliesAlone: (set: ChangeSet) => boolean;
}

interface Known {
  set: ChangeSet;
  version: number;
  hunks: Map<string, ReviewHunk>;
}

/**
 * The change sets that the server has reported. It holds what the server says
 * and decides nothing.
 */
export class ChangeStore {
  private readonly known = new Map<string, Known>();
  private readonly byId = new Map<string, ReviewHunk>();
  private readonly byUri = new Map<string, Set<ReviewHunk>>();
  private readonly requested = new Set<string>();
  private readonly decided = new Set<string>();
  private readonly dismissed = new Set<string>();
  private readonly listeners = new Set<(uris: Set<string>) => void>();
  private pendingHunks = 0;

  constructor(private readonly options: StoreOptions) {}

  /** The number of pending hunks. */
  get pendingCount(): number {
    return this.pendingHunks;
  }

  /** The change sets, in the order in which they came. */
  get sets(): ChangeSet[] {
    return [...this.known.values()].map(({ set }) => set);
  }

  /** The URIs of files with hunks, sorted. */
  get uris(): string[] {
    return [...this.byUri.keys()].sort();
  }

  set(changeSetId: string): ChangeSet | undefined {
    return this.known.get(changeSetId)?.set;
  }

  hunk(id: string): ReviewHunk | undefined {
    return this.byId.get(id);
  }

  /**
   * Returns a file's hunks in these states, by line. The state `applied` selects
   * accepted hunks that nobody was asked about. A conflict that the user has
   * dismissed is left out.
   */
  hunks(uri: string, states: readonly (HunkState | 'applied')[]): ReviewHunk[] {
    const found = [...(this.byUri.get(uri) ?? [])].filter(
      (h) => (states.includes(h.hunk.state) || (h.applied && states.includes('applied'))) && !this.dismissed.has(h.id),
    );
    return found.sort((a, b) => a.hunk.range.start.line - b.hunk.range.start.line || a.hunk.range.end.line - b.hunk.range.end.line);
  }

  /** Returns all pending hunks by file and line; those of one session if it is named. */
  pending(sessionId?: string): ReviewHunk[] {
    return this.uris.flatMap((uri) => this.hunks(uri, ['pending'])).filter((h) => sessionId === undefined || h.set.sessionId === sessionId);
  }

  /** Calls a listener with the URIs of the files whose hunks changed. */
  onChange(listener: (uris: Set<string>) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Takes emendo/changes/didChange. */
  notified(params: ChangesDidChange): void {
    if ('delta' in params) {
      this.apply(params.delta);
    } else {
      this.fire(this.put(params.changeSet, false));
    }
  }

  /** Takes an answer with change sets. One that is older than what is known is ignored. */
  answered(sets: ChangeSet[]): void {
    const uris = new Set<string>();
    for (const set of sets) {
      this.requested.delete(set.changeSetId);
      const known = this.known.get(set.changeSetId);
      if (!known || (set.version ?? 0) >= known.version) {
        this.put(set, true).forEach((uri) => uris.add(uri));
      }
    }
    this.fire(uris);
  }

  /** Notes that a change set that was requested did not come, so that the next gap requests it again. */
  requestFailed(changeSetId: string): void {
    this.requested.delete(changeSetId);
  }

  /** Notes that the user decides hunks here. */
  deciding(ids: Iterable<string>): void {
    for (const id of ids) {
      this.decided.add(id);
    }
  }

  /** Shows a conflicted hunk no longer. */
  dismiss(id: string): void {
    const h = this.byId.get(id);
    if (h?.hunk.state === 'conflicted') {
      this.dismissed.add(id);
      this.fire(new Set([h.uri]));
    }
  }

  /** Forgets which hunks of a session were applied without a question: the user goes on. */
  seen(sessionId: string): void {
    const uris = new Set<string>();
    for (const h of this.byId.values()) {
      if (h.applied && h.set.sessionId === sessionId) {
        h.applied = false;
        uris.add(h.uri);
      }
    }
    this.fire(uris);
  }

  /** Forgets everything: the server that knew it has ended. */
  clear(): void {
    const uris = new Set(this.byUri.keys());
    for (const map of [this.known, this.byId, this.byUri, this.requested, this.decided, this.dismissed]) {
      map.clear();
    }
    this.pendingHunks = 0;
    this.fire(uris);
  }

  private apply(delta: ChangeDelta): void {
    const known = this.known.get(delta.changeSetId);
    if (known && delta.version <= known.version) {
      return;
    }
    // A hunk that is new belongs to a file that only the whole set names.
    if (!known || delta.version !== known.version + 1 || delta.hunks.some(({ hunkId }) => !known.hunks.has(hunkId))) {
      this.request(delta.changeSetId);
      return;
    }
    known.version = delta.version;
    known.set.version = delta.version;
    known.set.state = delta.state ?? known.set.state;
    const uris = new Set<string>();
    for (const hunk of delta.hunks) {
      const h = known.hunks.get(hunk.hunkId)!;
      this.take(h, hunk, false);
      uris.add(h.uri);
    }
    for (const id of delta.removed ?? []) {
      const h = known.hunks.get(id);
      if (h) {
        known.hunks.delete(id);
        uris.add(h.uri);
        this.drop(h);
        h.file.hunks.splice(h.index, 1);
        h.file.hunks.forEach(({ hunkId }, index) => Object.assign(known.hunks.get(hunkId) ?? {}, { index }));
      }
    }
    this.fire(uris);
  }

  private request(changeSetId: string): void {
    if (!this.requested.has(changeSetId)) {
      this.requested.add(changeSetId);
      this.options.missed(changeSetId);
    }
  }

  /** Replaces what is known of a change set, and returns the files that it is and was about. */
  private put(set: ChangeSet, stored: boolean): Set<string> {
    const was = this.known.get(set.changeSetId);
    const now: Known = { set, version: set.version ?? 0, hunks: new Map() };
    const uris = new Set<string>();
    for (const file of set.files) {
      if (file.omitted !== undefined) {
        continue; // there is nothing to show
      }
      const uri = this.options.spell(file.uri);
      uris.add(uri);
      for (const [index, hunk] of file.hunks.entries()) {
        const h = this.byId.get(hunk.hunkId);
        if (h && h.uri !== uri) {
          uris.add(h.uri);
          this.unlist(h);
        }
        const entry = h ?? { id: hunk.hunkId, set, file, index, hunk: { ...hunk, state: 'superseded' as const }, uri, applied: false };
        Object.assign(entry, { set, file, index, uri });
        this.take(entry, hunk, stored);
        now.hunks.set(hunk.hunkId, entry);
        this.byId.set(hunk.hunkId, entry);
        this.list(entry);
      }
    }
    for (const [id, h] of was?.hunks ?? []) {
      if (!now.hunks.has(id)) {
        uris.add(h.uri);
        this.drop(h);
      }
    }
    this.known.set(set.changeSetId, now);
    return uris;
  }

  /** Takes what the server says of a hunk; `stored` says that it is nothing new. */
  private take(h: ReviewHunk, hunk: Hunk, stored: boolean): void {
    const was = h.hunk.state;
    this.pendingHunks += Number(hunk.state === 'pending') - Number(was === 'pending');
    h.file.hunks[h.index] = hunk;
    h.hunk = hunk;
    if (hunk.state !== 'conflicted') {
      this.dismissed.delete(h.id);
    }
    if (hunk.state !== 'accepted') {
      h.applied = false;
    } else if (was !== 'accepted' && !stored && !this.decided.has(h.id)) {
      h.applied = this.options.appliesAlone(h.set);
    }
  }

  private list(h: ReviewHunk): void {
    let hunks = this.byUri.get(h.uri);
    if (!hunks) {
      hunks = new Set();
      this.byUri.set(h.uri, hunks);
    }
    hunks.add(h);
  }

  private unlist(h: ReviewHunk): void {
    const hunks = this.byUri.get(h.uri);
    hunks?.delete(h);
    if (hunks?.size === 0) {
      this.byUri.delete(h.uri);
    }
  }

  private drop(h: ReviewHunk): void {
    this.pendingHunks -= Number(h.hunk.state === 'pending');
    this.byId.delete(h.id);
    this.unlist(h);
  }

  private fire(uris: Set<string>): void {
    if (uris.size > 0) {
      for (const listener of [...this.listeners]) {
        listener(uris);
      }
    }
  }
}
