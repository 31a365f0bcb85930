import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Verification } from '../../src/shared/wire';
import { badgeOf } from './verified';

test('a change set shows the state of its verification', () => {
  const cases: [Verification | undefined, string | undefined, string?][] = [
    [undefined, undefined],
    [{ state: 'verified', introduced: 0, resolved: 0 }, 'Verified', 'A language server found no new errors.'],
    [{ state: 'verified', introduced: 0, resolved: 2 }, 'Verified', 'A language server found no new errors. It resolves 2 errors.'],
    [{ state: 'problems', introduced: 1, resolved: 0 }, '1 new error'],
    [{ state: 'problems', introduced: 3, resolved: 0 }, '3 new errors'],
    [{ state: 'unverified', introduced: 0, resolved: 0, reason: 'gopls is still starting' }, 'Not verified', 'gopls is still starting'],
    [{ state: 'unverified', introduced: 0, resolved: 0 }, undefined],
    [{ state: 'later', introduced: 0, resolved: 0 } as unknown as Verification, undefined],
  ];
  for (const [verification, text, title] of cases) {
    const badge = badgeOf(verification);
    assert.equal(badge?.text, text);
    if (title !== undefined) {
      assert.equal(badge?.title, title);
    }
  }
});
