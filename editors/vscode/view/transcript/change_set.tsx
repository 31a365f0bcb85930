import { memo } from 'preact/compat';
import { useMemo, useState } from 'preact/hooks';
import type { ChangeSet, FileChange, Verification } from '../../src/shared/wire';
import { Icon } from '../icon';
import { resolve, reviewChanges, showDiff, useStore } from '../state';
import { t } from '../strings';
import { readUnified } from './diff';
import { Counts, DiffView, counts } from './diff_view';
import { Fold } from './fold';
import { shortPath } from '../format/paths';
import { badgeOf } from './verified';

/** The edits that a call proposes, with what can be done with all of them. */
export const ChangeSetView = memo(function ChangeSetView({ set }: { set: ChangeSet }) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState('');
  const hunks = set.files.flatMap(({ hunks }) => hunks);
  const pending = hunks.filter(({ state }) => state === 'pending').length;
  const conflicts = hunks.filter(({ state }) => state === 'conflicted').length;
  const decide = async (action: 'accept' | 'reject'): Promise<void> => {
    setBusy(true);
    setError('');
    try {
      const { conflicts } = await resolve([{ changeSetId: set.changeSetId, action }]);
      setError(conflicts[0]?.reason ?? '');
    } catch (error) {
      setError((error as Error).message);
    }
    setBusy(false);
  };
  return (
    <div class="change-set">
      {set.files.map((file) => (
        <FileView key={file.uri} file={file} changeSetId={set.changeSetId} open={pending > 0 && set.files.length <= 3} />
      ))}
      <div class="change-set-foot">
        <span class="change-set-state">
          {[
            pending > 0 ? (pending === 1 ? t('1 edit to review') : t('{0} edits to review', pending)) : set.state === 'conflicted' && conflicts > 0 ? '' : stateText(set.state),
            conflicts === 0 ? '' : conflicts === 1 ? t('1 conflict') : t('{0} conflicts', conflicts),
          ]
            .filter((text) => text !== '')
            .join(' · ')}
        </span>
        <Verified of={set.verification} />
        <span class="change-set-buttons">
          <button type="button" class="icon-button" title={t('Show the diff')} aria-label={t('Show the diff')} onClick={() => showDiff(set.changeSetId)}>
            <Icon name="diff-multiple" />
          </button>
          {pending > 0 && (
            <>
              <button type="button" class="small-button" onClick={() => reviewChanges(set.changeSetId)}>
                {t('Review')}
              </button>
              <button type="button" class="small-button" disabled={busy} onClick={() => void decide('accept')}>
                {hunks.length === 1 ? t('Accept') : t('Accept all')}
              </button>
              <button type="button" class="small-button" disabled={busy} onClick={() => void decide('reject')}>
                {hunks.length === 1 ? t('Reject') : t('Reject all')}
              </button>
            </>
          )}
        </span>
      </div>
      {error !== '' && (
        <p class="problem" role="alert">
          {error}
        </p>
      )}
    </div>
  );
});

/** Whether a language server has checked the proposed text. */
function Verified({ of }: { of: Verification | undefined }) {
  const badge = badgeOf(of);
  return badge === undefined ? null : (
    <span class={`verified ${badge.look}`} title={badge.title}>
      <Icon name={badge.icon} />
      {badge.text}
    </span>
  );
}

function stateText(state: ChangeSet['state']): string {
  switch (state) {
    case 'accepted':
      return t('Accepted');
    case 'rejected':
      return t('Rejected');
    case 'conflicted':
      return t('In conflict');
    case 'superseded':
      return t('Superseded');
    case 'partial':
      return t('Partly accepted');
    case 'pending':
      return t('To review');
  }
}

const icons = { create: 'diff-added', modify: 'diff-modified', delete: 'diff-removed', rename: 'diff-renamed' };

function FileView({ file, changeSetId, open }: { file: FileChange; changeSetId: string; open: boolean }) {
  const folders = useStore((state) => state.folders);
  const lines = useMemo(() => readUnified(file.diff), [file.diff]);
  const path = shortPath(file.uri, folders);
  const name = file.newUri === undefined ? path : `${path} → ${shortPath(file.newUri, folders)}`;
  const operations = { create: t('new file'), modify: '', delete: t('deleted'), rename: t('renamed') };
  return (
    <div class="file-change">
      <Fold
        open={open && lines.length <= 60}
        head={
          <>
            <Icon name={icons[file.op]} />
            <span class="path" title={name}>
              <bdi>{name}</bdi>
            </span>
            {file.op !== 'modify' && <span class="dim">{operations[file.op]}</span>}
            <Counts {...counts(lines)} />
          </>
        }
      >
        {() => <DiffView rows={lines} label={t('Changes of {0}', path)} />}
      </Fold>
      <button
        type="button"
        class="icon-button"
        title={t('Show the diff of {0}', path)}
        aria-label={t('Show the diff of {0}', path)}
        onClick={() => showDiff(changeSetId, file.uri)}
      >
        <Icon name="diff" />
      </button>
    </div>
  );
}
