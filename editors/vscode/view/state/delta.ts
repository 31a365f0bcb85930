import type { ChangeDelta, ChangeSet } from '../../src/shared/wire';

/** A change set after what changed in it. */
export function withDelta(set: ChangeSet, { version, state, hunks, removed = [] }: ChangeDelta): ChangeSet {
  const changes = new Map(hunks.map((hunk) => [hunk.hunkId, hunk]));
  const gone = new Set(removed);
  return {
    ...set,
    version,
    state: state ?? set.state,
    files: set.files.map((file) =>
      file.hunks.some(({ hunkId }) => changes.has(hunkId) || gone.has(hunkId))
        ? { ...file, hunks: file.hunks.filter(({ hunkId }) => !gone.has(hunkId)).map((hunk) => changes.get(hunk.hunkId) ?? hunk) }
        : file,
    ),
  };
}
