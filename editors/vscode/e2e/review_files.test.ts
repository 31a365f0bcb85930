import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ChangeSet, FileChange, Hunk } from '../src/shared/wire.ts';
import { nightly, waitForValue, call, assertContains, journey, replace, say, type Code, until } from './harness.ts';
import { waitForEditorText, lens, waitForChanges, waitForPending } from './hunks.ts';

// Changes that no tool proposes yet come from a stand-in for the server.
const program = fileURLToPath(new URL('standin/emendo', import.meta.url));
const options = {
  files: { 'gone.py': 'x = 1\ny = 2\n', 'old.py': 'z = 3\n', 'fee.py': 'fee = 250\n\n\n\nrate = 1\n', 'rate.py': 'rate = 1\n' },
};

function hunk(hunkId: string, oldText: string, newText: string, more: Partial<Hunk> = {}): Hunk {
  const line = oldText.split('\n').length - 1;
  return { hunkId, state: 'pending', range: { start: { line: 0, character: 0 }, end: { line, character: 0 } }, oldText, newText, ...more };
}

/** Returns a hunk that many lines further down. */
function below(h: Hunk, lines: number): Hunk {
  const { start, end } = h.range;
  return { ...h, range: { start: { ...start, line: start.line + lines }, end: { ...end, line: end.line + lines } } };
}

/** Starts the stand-in with change sets about files of the workspace, a set for each. */
async function propose(code: Code, files: Record<string, Partial<FileChange>>): Promise<void> {
  const sets = Object.entries(files).map(([name, file], i): ChangeSet => {
    const uri = `file://${code.profile.file(name)}`;
    const whole: FileChange = { uri, op: 'modify', openInEditor: false, diff: '', hunks: [], ...file };
    return { changeSetId: `set ${i}`, sessionId: 's', turnId: 't', toolCallId: 'c', title: 'a change', state: 'pending', files: [whole] };
  });
  writeFileSync(`${code.profile.env['EMENDO_HOME']}-changes.json`, JSON.stringify(sets));
  await code.window((vscode, path) => vscode.workspace.getConfiguration('emendo').update('path', path, true), program);
  await code.command('emendo.restartServer');
}

journey('changes go along when their file is renamed', { files: { 'a.py': 'a = 1\nb = 2\n', 'lib/c.py': 'c = 3\n' } }, async (code) => {
  await code.model.add(call(replace('a.py', 'a = 1', 'a = 10'), replace('lib/c.py', 'c = 3', 'c = 30')), say('Done.'));
  await code.openFile('a.py');
  await code.page.keyboard.type('# note\n');
  await code.ask('Times ten');
  await waitForPending(code, 1);
  const move = (from: string, to: string): Promise<unknown> =>
    code.window(
      async (vscode, from, to) => {
        const edit = new vscode.WorkspaceEdit();
        edit.renameFile(vscode.Uri.file(from), vscode.Uri.file(to));
        return vscode.workspace.applyEdit(edit);
      },
      code.profile.file(from),
      code.profile.file(to),
    );
  await move('a.py', 'b.py');
  await move('lib', 'src');
  await waitForChanges(code, /b\.py, 1 pending/, /c\.py, 1 pending/);
  await code.openFile('b.py');
  await waitForPending(code, 1);
  await lens(code, 'Accept').click();
  await waitForEditorText(code, 'b.py', '# note\na = 10\nb = 2\n');
  await code.command('emendo.acceptAll');
  await until('the file that is not open is changed', () => code.profile.read('src/c.py') === 'c = 30\n');
  await code.waitForText('Done.');
  assert.equal(code.profile.read('a.py'), undefined);
});

journey('files that are deleted and renamed', options, async (code) => {
  await code.chat();
  await propose(code, {
    'gone.py': { op: 'delete', hunks: [hunk('delete', 'x = 1\ny = 2\n', '')] },
    'old.py': { op: 'rename', newUri: `file://${code.profile.file('fresh.py')}`, hunks: [hunk('rename', '', '')] },
  });
  await waitForChanges(code, /gone\.py, delete, 1 pending/, /old\.py, rename to fresh\.py, 1 pending/);
  await code.command('emendo.review');
  await until('the file is in front', async () => (await code.editorText()) === 'x = 1\ny = 2\n');
  await waitForPending(code, 1);
  await until('it says so', async () => (await code.page.locator('.codelens-decoration').innerText()).includes('Delete this file'));
  await code.screenshot('review-delete');
  await lens(code, 'Accept').click();
  await waitForChanges(code, /old\.py, rename to fresh\.py, 1 pending/);
  await code.command('emendo.nextHunk');
  await until('the file is in front', async () => (await code.editorText()) === 'z = 3\n');
  await until('it says so', async () => (await code.page.locator('.codelens-decoration').innerText()).includes('Rename this file to fresh.py'));
  await code.screenshot('review-rename');
  await lens(code, 'Reject').click();
  await waitForPending(code, 0);
});

journey('files are deleted and moved once that is approved', options, async (code) => {
  await code.openFile('gone.py');
  await code.openFile('old.py');
  await code.page.keyboard.type('# unsaved ');
  await until('the text is typed', async () => (await code.editorText('old.py'))?.startsWith('# unsaved '));
  const move = { name: 'move_file', args: { source_path: 'old.py', destination_path: 'lib/fresh.py' } };
  await code.model.add(call({ name: 'delete_file', args: { file_path: 'gone.py' } }, move), say('Both are done.'));
  await code.ask('Tidy up');
  await waitForChanges(code, /gone\.py, delete, 1 pending/, /old\.py, rename to lib\/fresh\.py, 1 pending/);
  assert.equal(code.profile.read('gone.py'), 'x = 1\ny = 2\n', 'nothing happens before');
  await code.command('emendo.acceptAll');
  await code.waitForText('Both are done.');
  assert.equal(code.profile.read('gone.py'), undefined);
  assert.equal(code.profile.read('old.py'), undefined);
  await until('the tabs follow', async () => (await code.tabs()).join() === 'fresh.py');
  await waitForValue(() => code.editorText('lib/fresh.py'), '# unsaved z = 3\n');
  await code.screenshot('review-moved');
  assertContains(await code.model.lastRequest(), 'applied: file deleted');
  assertContains(await code.model.lastRequest(), 'applied: file renamed to');
});

nightly('checks and conflicts in the list', options, async (code) => {
  await code.chat();
  await propose(code, {
    'fee.py': { verification: { state: 'problems', introduced: 1, resolved: 0 }, hunks: [hunk('fee', 'fee = 250\n', 'fee = cost\n'), below(hunk('more', 'rate = 1\n', '# twice\nrate = 2\n'), 4)] },
    'rate.py': { hunks: [hunk('rate', 'rate = 1\n', 'rate = 2\n', { state: 'conflicted', reason: 'the file is read-only' })] },
  });
  await waitForChanges(code, /fee\.py, 2 pending.*1 new error/, /rate\.py.*1 in conflict/);
  await code.openFile('rate.py');
  await until('the reason is shown', async () => (await code.page.locator('.codelens-decoration').innerText()).includes('the file is read-only'));
  await code.screenshot('review-checks');
  await code.openFile('fee.py');
  await waitForPending(code, 2);
  for (const theme of ['Default High Contrast', 'Default Dark Modern']) {
    await code.window((vscode, name) => vscode.workspace.getConfiguration('workbench').update('colorTheme', name, true), theme);
    await code.page.locator(theme.includes('Contrast') ? '.monaco-workbench.hc-black' : '.monaco-workbench.vs-dark').waitFor();
    await code.screenshot(`review-${theme.split(' ')[1]!.toLowerCase()}`);
  }
  await code.openFile('rate.py');
  await lens(code, 'Dismiss').click();
  await waitForChanges(code, /fee\.py, 2 pending/);
  await waitForValue(() => code.editorText('rate.py'), 'rate = 1\n');
});
