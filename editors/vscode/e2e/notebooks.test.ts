import assert from 'node:assert/strict';
import { nightly, waitForValue, call, type Code, assertContains, journey, replace, say, until } from './harness.ts';
import { lens, waitForChanges } from './hunks.ts';

const cell = (...source: string[]): unknown => ({ cell_type: 'code', execution_count: null, metadata: {}, outputs: [], source });
const notebook = `${JSON.stringify({ cells: [cell('rate = 2\n', 'hours = 3'), cell('print(rate)')], metadata: {}, nbformat: 4, nbformat_minor: 2 }, null, 1)}\n`;
const files = { 'calc.ipynb': notebook, 'fee.py': 'fee = 1\n' };

/** Opens the notebook as VS Code does. */
function open(code: Code): Promise<unknown> {
  return code.window(async (vscode, path) => {
    const document = await vscode.workspace.openNotebookDocument(vscode.Uri.file(path));
    await vscode.window.showNotebookDocument(document, { preview: false });
    return document.notebookType;
  }, code.profile.file('calc.ipynb'));
}

/** Replaces the text of the first cell. */
function type(code: Code, text: string): Promise<unknown> {
  return code.window(async (vscode, text) => {
    const { document } = vscode.workspace.notebookDocuments[0]!.cellAt(0);
    const edit = new vscode.WorkspaceEdit();
    edit.replace(document.uri, new vscode.Range(0, 0, document.lineCount, 0), text);
    return vscode.workspace.applyEdit(edit);
  }, text);
}

function shown(code: Code): Promise<string> {
  return code.window((vscode) => vscode.workspace.notebookDocuments[0]!.cellAt(0).document.getText());
}

journey('unsaved cells are seen, and a notebook loses nothing', { files }, async (code) => {
  assert.equal(await open(code), 'jupyter-notebook');
  await code.chat();
  await code.model.add(say('Hello.'));
  await code.ask('Hello');
  await code.waitForText('Hello.');
  await type(code, 'rate = 250\nhours = 3');
  await code.model.add(
    call({ name: 'read_file', args: { file_path: 'calc.ipynb' } }),
    call(replace('calc.ipynb', 'rate = 250', 'rate = 260'), replace('fee.py', 'fee = 1', 'fee = 2')),
    say('Done.'),
  );
  await code.ask('Raise the rate');
  await waitForChanges(code, /calc\.ipynb, 1 pending/, /fee\.py, 1 pending/);
  assertContains(await code.model.lastRequest(), 'rate = 250');

  // What is not saved is in the way of that file alone.
  await code.command('emendo.acceptAll');
  await code.page.locator('.notification-toast', { hasText: 'calc.ipynb is open as a notebook with unsaved cells. Save it first.' }).waitFor();
  await until('the other file is changed', () => code.profile.read('fee.py') === 'fee = 2\n');
  assert.equal(await shown(code), 'rate = 250\nhours = 3');
  assert.equal(code.profile.read('calc.ipynb'), notebook);
  await waitForChanges(code, /calc\.ipynb, 1 pending/);

  assert.equal(await code.window((vscode) => vscode.workspace.notebookDocuments[0]!.save()), true);
  await until('it can be accepted', async () => {
    await code.command('emendo.acceptAll');
    return (await shown(code)) === 'rate = 260\nhours = 3';
  });
  await code.waitForText('Done.');
  assertContains(code.profile.read('calc.ipynb')!, 'rate = 260');
  await waitForValue(() => code.window((vscode) => vscode.workspace.notebookDocuments[0]!.isDirty), false, 'the notebook is as its file');
});

nightly('edits that are not asked about leave unsaved cells alone', { files, settings: { 'emendo.general.defaultApprovalMode': 'auto_edit' } }, async (code) => {
  await open(code);
  await code.chat();
  await code.model.add(say('Hello.'));
  await code.ask('Hello');
  await code.waitForText('Hello.');
  await type(code, 'rate = 250\nhours = 3');
  await code.model.add(call(replace('calc.ipynb', 'rate = 250', 'rate = 260')), say('It was refused.'));
  await code.ask('Raise the rate');
  await code.waitForText('It was refused.');
  assertContains(await code.model.lastRequest(), 'unsaved cells');
  assert.equal(await shown(code), 'rate = 250\nhours = 3');
  assert.equal(code.profile.read('calc.ipynb'), notebook);
  assert.equal(await lens(code, 'Undo').count(), 0);
});
