import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inVsCode, readReport, reportMarkdown } from './doctor_report';

const printed = JSON.stringify({
  version: '1.2.3',
  usable: false,
  checks: [
    { name: 'git', status: 'ok', message: 'git version 2', fix: 'unused' },
    { name: 'credentials', status: 'failure', message: 'no key|<b>', fix: 'set `GEMINI_API_KEY`' },
  ],
});

test('a report has failures first, with their fixes, and what a program said as it is', () => {
  const text = reportMarkdown(readReport(printed)!, [['VS Code', '1.106']]);
  const rows = text.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| ---'));
  assert.deepEqual(rows, [
    '| | check | what was found |',
    '| ✗ | credentials | no key\\|&lt;b><br>**Fix:** set \\`GEMINI\\_API\\_KEY\\` |',
    '| ✓ | git | git version 2 |',
    '| | |',
    '| VS Code | 1.106 |',
    '| emendo | 1.2.3 |',
  ]);
  assert.match(text, /is not usable yet/);
});

test('anything else is not a report', () => {
  assert.equal(readReport('usage: emendo doctor'), undefined);
  assert.equal(readReport('{}'), undefined);
});

test("VS Code's trust counts, and it is the editor", () => {
  const report = {
    version: '1',
    usable: true,
    checks: [
      { name: 'trust', status: 'warning' as const, message: 'restricted', fix: 'emendo trust add' },
      { name: 'editors', status: 'warning' as const, message: 'none' },
      { name: 'git', status: 'ok' as const, message: 'git 2' },
    ],
  };
  assert.deepEqual(inVsCode(report, true, (text) => text).checks, [{ name: 'trust', status: 'ok', message: 'VS Code trusts the workspace.' }, report.checks[2]]);
  const [trust] = inVsCode(report, false, (text) => text).checks;
  assert.equal(trust!.status, 'warning');
  assert.match(trust!.message, /^The workspace is not trusted/);
});
