/** What a review of uncommitted changes finds: problems at their lines, each with its actions. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { assertContains, call, journey, say, until, type Code } from './harness.ts';

const files = { 'fee.py': 'def fee(minutes):\n    return minutes * 250\n\n\nRATE = 1\n' };

/** The problems that a review has found in the file, by line. */
function problems(code: Code): Promise<string[]> {
  return code.window(
    (vscode, path) =>
      vscode.languages
        .getDiagnostics(vscode.Uri.file(path))
        .filter(({ source }) => source === 'emendo')
        .map(({ range, message, severity }) => `${range.start.line + 1} ${severity} ${message}`),
    code.profile.file('fee.py'),
  );
}

/** Runs the quick fix for what was found on a line, whose title begins so. */
async function quickFix(code: Code, line: number, title: string): Promise<void> {
  const entry = code.page.locator('.action-widget .monaco-list-row.action', { hasText: title });
  await until(`${title} is offered`, async () => {
    await code.select('fee.py', line - 1, 6, line - 1, 6);
    await code.command('editor.action.quickFix');
    return entry.waitFor({ timeout: 2000 }).then(() => true, () => false);
  });
  await code.screenshot('findings-actions');
  await entry.click();
}

journey('a review finds problems, which are fixed, explained and dismissed, also after a reload', { files }, async (code) => {
  const git = (...args: string[]): unknown => execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], { cwd: code.profile.workspace, env: code.profile.env });
  git('add', '.');
  git('commit', '-q', '-m', 'start');
  code.profile.write('fee.py', files['fee.py'].replace('250', '300').replace('RATE = 1', 'RATE = 2'));
  await code.openFile('fee.py');
  const report = (line: number, severity: string, title: string): { name: string; args: unknown } => ({
    name: 'report_finding',
    args: { file_path: 'fee.py', line, severity, title, message: `${title} in this change.` },
  });
  await code.model.add(call(report(2, 'error', 'The fee is not rounded'), report(5, 'warning', 'Nothing uses the rate')), say('Two problems.'));
  await code.palette('Emendo: Review Uncommitted Changes');
  await code.waitForText('Two problems.');
  await until('both are there', async () => (await problems(code)).length === 2);
  const [first, second] = await problems(code);
  assertContains(first!, '2 0 The fee is not rounded');
  assertContains(second!, '5 1 Nothing uses the rate');
  assertContains(await code.model.lastRequest(), '+    return minutes * 300');
  await code.screenshot('findings');

  await code.reload();
  await code.chat();
  await code.openFile('fee.py');
  await until('they are there after a reload', async () => (await problems(code)).length === 2);

  await quickFix(code, 5, 'Dismiss:');
  await until('one is dismissed', async () => (await problems(code)).length === 1);
  await code.model.add(say('A fee is counted by the hour that has begun.'));
  await quickFix(code, 2, 'Explain:');
  await code.waitForText('A fee is counted by the hour that has begun.');
  assert.equal((await problems(code)).length, 1);
});
