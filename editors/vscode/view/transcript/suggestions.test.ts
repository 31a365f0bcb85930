import assert from 'node:assert/strict';
import { test } from 'node:test';
import { suggestions } from './suggestions';

const file = { uri: 'file:///w/a.go', label: 'a.go' };
const cases: [string, Parameters<typeof suggestions>[0], string[]][] = [
  ['nothing open', { problems: 0, openEditors: [] }, ['Explain this project', 'Find a likely bug', 'Review my changes']],
  ['a file', { activeFile: file, problems: 0, openEditors: [] }, ['Explain a.go', 'Write tests for a.go', 'Explain this project']],
  ['a selection and problems', { activeFile: file, selection: { ...file, lines: 3 }, problems: 2, openEditors: [] }, ['Explain the 3 selected lines', 'Fix the 2 problems', 'Explain a.go']],
];
for (const [name, context, labels] of cases) {
  test(`with ${name}`, () => assert.deepEqual(suggestions(context).map(({ label }) => label), labels));
}
