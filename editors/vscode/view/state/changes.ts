import { host, server } from '../bridge';
import type { ChangeSet, ChangesDidChange, Decision, ResolveResult } from '../../src/shared/wire';
import { withDelta } from './delta';
import { getState, setState } from './store';

/** Takes a notification about a change set. One of another session is passed over. */
export function changesDidChange(change: ChangesDidChange): void {
  if ('changeSet' in change) {
    if (change.changeSet.sessionId === getState().sessionId) {
      put([change.changeSet]);
    }
    return;
  }
  const before = getState().changes.get(change.delta.changeSetId);
  if (!before) {
    return;
  }
  const version = before.version ?? 0;
  if (change.delta.version <= version) {
    return;
  }
  if (change.delta.version > version + 1) {
    void server<{ changeSet: ChangeSet }>('emendo/changes/get', { changeSetId: before.changeSetId }).then(
      ({ changeSet }) => put([changeSet]),
      () => {}, // it is gone
    );
    return;
  }
  put([withDelta(before, change.delta)]);
}

/** Puts change sets in place of those that are older. */
function put(sets: readonly ChangeSet[]): void {
  const changes = new Map(getState().changes);
  for (const set of sets) {
    if ((set.version ?? 0) >= (changes.get(set.changeSetId)?.version ?? 0)) {
      changes.set(set.changeSetId, set);
    }
  }
  setState({ changes });
}

/** Asks for the change sets of the session that is shown. */
export async function loadChanges(sessionId: string): Promise<void> {
  const { changeSets } = await server<{ changeSets: ChangeSet[] }>('emendo/changes/list', { sessionId });
  if (getState().sessionId === sessionId) {
    put(changeSets);
  }
}

/** Decides hunks, files or change sets. */
export async function resolve(decisions: Decision[], comment?: string): Promise<ResolveResult> {
  const result = await server<ResolveResult>('emendo/changes/resolve', comment === undefined ? { decisions } : { decisions, comment });
  put(result.changeSets.filter(({ sessionId }) => sessionId === getState().sessionId));
  return result;
}

/** Shows a change set in the editor: hunk by hunk, or as a diff of one file or of all. */
export function reviewChanges(changeSetId: string): void {
  void host('review', { changeSetId });
}

export function showDiff(changeSetId: string, uri?: string): void {
  void host('showDiff', uri === undefined ? { changeSetId } : { changeSetId, uri });
}
