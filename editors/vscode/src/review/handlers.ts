import type { HostHandlers } from '../chat/host';
import type { Server } from '../server/server';
import type { ChangeSet } from '../shared/wire';
import { spell } from './changes';
import { go, type Review } from './commands';

/** Answers the requests of views that are about changes. */
export function handleViews(host: HostHandlers, server: Server, review: Review): void {
  const { changes, diffs } = review;

  host.on('showDiff', async ({ changeSetId, uri }) => {
    await known(review, server, changeSetId);
    const file = uri === undefined ? undefined : changes.store.set(changeSetId)?.files.find((f) => spell(f.uri) === spell(uri));
    await (file ? diffs.showSetFile(changeSetId, file) : diffs.showSet(changeSetId));
    return null;
  });
  host.on('review', async ({ changeSetId }) => {
    const h = changes.store.pending().find(({ set }) => set.changeSetId === changeSetId);
    await (h ? diffs.open(h) : go(review, 1));
    return null;
  });
  host.on('changes', async ({ sessionId }) => {
    const { changeSets } = await server.request<{ changeSets: ChangeSet[] }>('emendo/changes/list', { sessionId });
    changes.store.answered(changeSets);
    return { changeSets };
  });
}

/** Requests a change set that was never reported: one of a session that was decided before the server started. */
async function known({ changes }: Review, server: Server, changeSetId: string): Promise<void> {
  if (!changes.store.set(changeSetId)) {
    const { changeSet } = await server.request<{ changeSet: ChangeSet }>('emendo/changes/get', { changeSetId });
    changes.store.answered([changeSet]);
  }
}
