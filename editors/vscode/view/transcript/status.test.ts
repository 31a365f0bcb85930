import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChangeSet, ToolCall, ToolMeta } from '../../src/shared/wire';
import { statusOf, type Status } from './status';

interface Case {
  name: string;
  status?: ToolCall['status'];
  meta?: ToolMeta;
  set?: ChangeSet['state'];
  over?: boolean;
  want: Status;
}

const cases: Case[] = [
  { name: 'a call that has not started', want: 'waiting' },
  { name: 'one that asks', meta: { state: 'awaiting_approval' }, want: 'asking' },
  { name: 'one that waits for the edits before it', meta: { state: 'awaiting_review' }, want: 'asking' },
  { name: 'one that runs', status: 'in_progress', want: 'running' },
  { name: 'one that the end of the turn ended', status: 'in_progress', over: true, want: 'cancelled' },
  { name: 'one that has ended', status: 'completed', want: 'done' },
  { name: 'one that failed', status: 'failed', meta: { state: 'error', errorType: 'file_not_found' }, want: 'failed' },
  { name: 'one that the user or a rule did not allow', status: 'failed', meta: { state: 'error', errorType: 'policy_violation' }, want: 'denied' },
  { name: 'an edit that the user rejected', status: 'failed', meta: { state: 'error' }, set: 'rejected', want: 'rejected' },
  { name: 'an edit that was accepted later', status: 'failed', meta: { state: 'error' }, set: 'accepted', want: 'done' },
  { name: 'an edit that does not fit any more', status: 'failed', meta: { state: 'error' }, set: 'conflicted', want: 'failed' },
  { name: 'one that the user stopped', status: 'failed', meta: { state: 'cancelled' }, set: 'rejected', want: 'cancelled' },
];

for (const { name, status = 'pending', meta = {}, set, over = false, want } of cases) {
  test(name, () => {
    const call = { toolCallId: 'c', status } satisfies ToolCall;
    assert.equal(statusOf({ call, meta }, over, set && { state: set }), want);
  });
}
