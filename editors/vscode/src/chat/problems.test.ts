import assert from 'node:assert/strict';
import { test } from 'node:test';
import { problemsOf } from './problems';

const source = { of: (uri: string) => `of ${uri}`, all: () => ['of a', 'of b', 'of c'] };

const cases: [what: string, uris: string[] | undefined, want: string[]][] = [
  ['the files that are named', ['b', 'x'], ['of b', 'of x']],
  ['all files without a list', undefined, ['of a', 'of b', 'of c']],
  ['all files for an empty list', [], ['of a', 'of b', 'of c']],
];
for (const [what, uris, want] of cases) {
  test(`problems are returned of ${what}`, () => assert.deepEqual(problemsOf(uris, source), want));
}
