import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Action, HunkView, Item, Line, Row } from '../src/shared/view.ts';
import { nightly, waitForValue, call, assertContains, journey, replace, say, type Code, until } from './harness.ts';
import { repository } from './places.ts';
import { waitForEditorText, lens, waitForChanges, waitForPending } from './hunks.ts';

// Changes that no tool proposes yet come from a stand-in for the server.
const program = fileURLToPath(new URL('standin/emendo', import.meta.url));
const options = {
  files: { 'gone.py': 'x = 1\ny = 2\n', 'old.py': 'z = 3\n', 'fee.py': 'fee = 250\n\n\n\nrate = 1\n', 'rate.py': 'rate = 1\n' },
};

/** A file of the stand-in's view, and its hunks. */
interface Shown {
  look?: string;
  title?: string;
  newUri?: string;
  lines: Line[];
  hunks: (Pick<HunkView, 'label' | 'rows'> & Partial<HunkView>)[];
}

const fact = (text: string): Line => ({ id: 'fact', text: { text } });

/** Returns a hunk that replaces lines, from a row on. */
function hunk(row: number, old: string[], now: string[], more: Partial<HunkView> = {}): Shown['hunks'][number] {
  const range = { start: { line: row, character: 0 }, end: { line: row + old.length, character: 0 } };
  const rows = [...old.map((text): Row => ['-', text]), ...now.map((text): Row => ['+', text])];
  return { range, rows, label: { text: `+${now.length} −${old.length}` }, ...more };
}

const verbs = Object.entries({ accept: 'Accept', reject: 'Reject', keep: 'Keep', undo: 'Undo', show: 'Show the difference', edit: 'Edit', dismiss: 'Dismiss' }).map(([id, text]): Action => ({ id, title: { text }, look: id }));

/** Starts the stand-in with files of the workspace that have hunks. */
async function propose(code: Code, files: Record<string, Shown>): Promise<void> {
  const items = Object.entries(files).map(([name, { look = 'modify', title = name, newUri, lines }]): Item => {
    const place = { uri: `file://${code.profile.file(name)}`, ...(newUri !== undefined && { newUri }) };
    return { id: name, kind: 'file', look, title: { text: title }, note: { text: lines.map(({ text }) => text.text).join(' · ') }, lines, place, actions: [] };
  });
  const hunks = Object.entries(files).flatMap(([fileId, { hunks }]) =>
    hunks.map((more, i): HunkView => {
      const id = `${fileId} ${i}`;
      const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };
      return { id, changeSetId: 'c', hunkId: id, fileId, state: 'pending', range, actions: ['accept', 'reject', 'show'], ...more };
    }),
  );
  await standIn(code, items, hunks);
}

/** Starts the stand-in with what the window has. */
async function standIn(code: Code, items: Item[], hunks: HunkView[]): Promise<void> {
  writeFileSync(`${code.profile.env['EMENDO_HOME']}-view.json`, JSON.stringify({ version: 1, items, questions: [], hunks, verbs }));
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

nightly('files that are deleted and renamed', options, async (code) => {
  await code.chat();
  await propose(code, {
    'gone.py': { look: 'delete', lines: [fact('Deletes the file'), fact('1 pending')], hunks: [hunk(0, ['x = 1', 'y = 2'], [], { label: { text: 'Delete this file' } })] },
    'old.py': {
      look: 'rename',
      title: 'old.py → fresh.py',
      newUri: `file://${code.profile.file('fresh.py')}`,
      lines: [fact('1 pending')],
      hunks: [hunk(0, [], [], { label: { text: 'Rename this file to fresh.py' } })],
    },
  });
  await waitForChanges(code, /gone\.py, Deletes the file, 1 pending/, /old\.py → fresh\.py, 1 pending/);
  await code.command('emendo.review');
  await until('the file is in front', async () => (await code.editorText()) === 'x = 1\ny = 2\n');
  await waitForPending(code, 1);
  await until('it says so', async () => (await code.page.locator('.codelens-decoration').innerText()).includes('Delete this file'));
  await code.screenshot('review-delete');
  await lens(code, 'Accept').click();
  await waitForChanges(code, /old\.py → fresh\.py, 1 pending/);
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
  await waitForChanges(code, /gone\.py, Deletes the file, 1 pending/, /old\.py → lib\/fresh\.py, 1 pending/);
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

/** The golden texts of hunks that the server's own test makes, each for a file of its own. */
const golden = readFileSync(join(repository, 'agent/view/testdata/hunks.jsonl'), 'utf8').trim().split('\n').map((line, n) => {
  const { name, items, hunks } = JSON.parse(line) as { name: string; items: [Item]; hunks: [HunkView] };
  return { name, file: `f${String(n).padStart(2, '0')}.txt`, item: items[0], hunk: hunks[0] };
});

journey('each state of a hunk is said above it', { files: Object.fromEntries(golden.map(({ file }) => [file, 'a\n'])) }, async (code) => {
  const uri = (file: string): string => `file://${code.profile.file(file)}`;
  const items = golden.map(({ file, item }): Item => ({ ...item, id: file, title: { text: item.title.text.replace('a.go', file) }, place: { ...item.place, uri: uri(file) } }));
  const hunks = golden.map(({ file, hunk: { version: _, ...hunk } }): HunkView => ({ ...hunk, id: file, hunkId: file, fileId: file }));
  await code.chat();
  await standIn(code, items, hunks);
  for (const { name, file, hunk: { label, marks = [], actions } } of golden) {
    if (name === 'create, pending') {
      continue; // it has no file yet, and is drawn in the text that is proposed
    }
    const above = async (): Promise<string[]> =>
      code.window(async (vscode, uri) => {
        await vscode.workspace.openTextDocument(vscode.Uri.parse(uri));
        const lenses = await vscode.commands.executeCommand<{ command?: { title: string } }[]>('vscode.executeCodeLensProvider', vscode.Uri.parse(uri));
        return lenses.map(({ command }) => command?.title ?? '');
      }, uri(file));
    await until(`${name} is drawn`, async () => (await above()).length > 0);
    const titles = await above();
    const said = titles.join(' | ');
    const wanted = [label, ...marks.filter(({ id }) => id !== 'text').map(({ text }) => text)];
    for (const { text } of wanted) {
      assert.ok(said.includes(text), `${name} says ${text} in ${said}`);
    }
    for (const action of actions) {
      const { title, fields } = typeof action === 'string' ? (verbs.find(({ id }) => id === action) ?? { title: undefined, fields: undefined }) : action;
      if (title && !fields) {
        assert.ok(said.includes(title.short ?? title.text), `${name} offers ${title.text} in ${said}`);
      }
    }
  }
});

nightly('checks and conflicts in the list', options, async (code) => {
  await code.chat();
  await propose(code, {
    'fee.py': { lines: [fact('2 pending'), fact('1 new error')], hunks: [hunk(0, ['fee = 250'], ['fee = cost']), hunk(4, ['rate = 1'], ['# twice', 'rate = 2'])] },
    'rate.py': {
      look: 'conflict',
      lines: [fact('1 in conflict')],
      hunks: [hunk(0, ['rate = 1'], ['rate = 2'], { state: 'conflicted', label: { text: 'Conflict: the file is read-only' }, actions: ['dismiss'] })],
    },
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
