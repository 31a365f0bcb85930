import type { ChangeSet } from '../../src/shared/wire';
import type { ToolItem } from '../state/conversation';

/** The status of a call as it is shown. */
export type Status = 'waiting' | 'asking' | 'running' | 'done' | 'failed' | 'denied' | 'rejected' | 'cancelled';

/** Reports whether a call waits for the user, who is asked about it or about the edits before it. */
export function asks(meta: Pick<ToolItem, 'meta'>['meta']): boolean {
  return meta.state === 'awaiting_approval' || meta.state === 'awaiting_review';
}

/**
 * Returns the status of a call as it is shown. What the user rejected has not failed,
 * and edits that were accepted after their call ended are done.
 */
export function statusOf({ call, meta }: Pick<ToolItem, 'call' | 'meta'>, over: boolean, set: Pick<ChangeSet, 'state'> | undefined): Status {
  if (set?.state === 'accepted' && (over || call.status === 'failed')) {
    return 'done';
  }
  switch (call.status) {
    case 'completed':
      return 'done';
    case 'failed':
      return meta.errorType === 'policy_violation' ? 'denied' : meta.state === 'cancelled' ? 'cancelled' : set?.state === 'rejected' ? 'rejected' : 'failed';
    default:
      if (over) {
        return 'cancelled';
      }
      return call.status === 'in_progress' ? 'running' : asks(meta) ? 'asking' : 'waiting';
  }
}
