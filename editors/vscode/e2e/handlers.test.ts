import assert from 'node:assert/strict';
import { nightly, waitForValue, journey, say, until } from './harness.ts';

const files = {
  'fee.py': 'def fee(minutes):\n    hours = minutes // 60\n    return hours * 250\n\n\ndef free():\n    return 0\n',
  'notes.txt': 'one\n',
};

const answer = `Round up:

\`\`\`python
def fee(minutes):
    return -(-minutes // 60) * 250
\`\`\`

See [the fee](fee.py#L2-L3), [the host](/etc/hostname), [a command](command:workbench.action.closeAllEditors).
`;

nightly('code of an answer goes where the user wants it', { files }, async (code) => {
  await code.select('notes.txt', 0, 3, 0, 3);
  await code.chat();
  await code.model.add(say(answer));
  await code.ask('Round up');
  await code.waitForText('See the fee');
  const view = code.chatFrame;
  const block = view.locator('pre').first();
  await block.hover();

  await view.getByRole('button', { name: 'Insert at cursor' }).click();
  await until('the text is in the file', async () => (await code.editorText('notes.txt'))?.startsWith('onedef fee(minutes):'));
  await code.command('workbench.action.focusActiveEditorGroup');
  await code.command('undo');
  await until('one undo takes it out', async () => (await code.editorText('notes.txt')) === 'one\n');

  await code.select('fee.py', 6, 0, 6, 0);
  await block.hover();
  await view.getByRole('button', { name: 'Apply as a proposed edit' }).click();
  await until('it is proposed where it belongs', async () => (await code.page.locator('.codelens-decoration').count()) > 0);
  await code.screenshot('handlers-apply');
  assert.equal(await code.editorText('fee.py'), files['fee.py'], 'nothing is changed before the user accepts');
  await code.palette('Emendo: Accept All');
  await until('it is accepted', async () => (await code.editorText('fee.py')) === 'def fee(minutes):\n    return -(-minutes // 60) * 250\n\n\ndef free():\n    return 0\n');
});

journey('links lead into the workspace alone', { files }, async (code) => {
  await code.openFile('notes.txt');
  const view = await code.chat();
  await code.model.add(say(answer));
  await code.ask('Round up');
  await code.waitForText('See the fee');

  await view.getByText('the fee', { exact: true }).click();
  await until('the file is open at its lines', () =>
    code.window((vscode) => {
      const editor = vscode.window.activeTextEditor;
      return editor?.document.fileName.endsWith('fee.py') && editor.selection.start.line === 1;
    }),
  );
  const tabs = await code.tabs();
  await view.getByText('the host', { exact: true }).click();
  await view.getByRole('alert').getByText("hostname is outside of the session's folders").waitFor();
  await view.getByText('a command', { exact: true }).click();
  await waitForValue(() => code.tabs(), tabs);
  await code.screenshot('handlers-links');
});
