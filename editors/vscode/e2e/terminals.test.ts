/** Terminals: of the user, and of commands in the background. */
import assert from 'node:assert/strict';
import { call, journey, say, until, type Code } from './harness.ts';

const files = { 'fee.py': 'def fee(minutes):\n    return minutes * 250\n' };

/** Waits until the terminal in front shows a text. */
async function shows(code: Code, text: string): Promise<void> {
  await code.page.locator('.terminal-wrapper.active .xterm-screen').waitFor();
  await until(`the terminal shows ${text}`, async () => {
    await code.command('workbench.action.terminal.selectAll');
    await code.command('workbench.action.terminal.copySelection');
    return (await code.window((vscode) => vscode.env.clipboard.readText())).includes(text);
  });
}

/** Types a line in the terminal in front. */
async function type(code: Code, line: string): Promise<void> {
  await code.window((vscode, text) => vscode.window.activeTerminal?.sendText(text), line);
}

journey('a command in the background is shown live in a terminal, and the user has a shell', { files }, async (code) => {
  const command = 'echo begun-$((6 * 7)); until [ -e go ]; do sleep 0.05; done; echo gone-$((6 * 7)); sleep 600';
  await code.model.add(call({ name: 'run_shell_command', args: { command, is_background: true } }), say('It runs.'), say('Hello.'));
  await code.ask('Serve it.');
  await code.answer('Run this command?', /Allow once/);
  await code.waitForText('It runs.');
  await code.log.getByRole('button', { name: /^Show it in a terminal/ }).click();
  await shows(code, 'begun-42');
  code.profile.write('go', '');
  await shows(code, 'gone-42');
  await code.screenshot('terminal-background');

  await code.command('emendo.openTerminal');
  await until('the shell is in front', () => code.window((vscode) => vscode.window.activeTerminal?.name === 'Emendo'));
  await type(code, 'echo typed-$((40 + 2))');
  await shows(code, 'typed-42');
  await type(code, 'exit');
  await until('the shell is closed', () => code.window((vscode) => !vscode.window.terminals.some(({ name }) => name === 'Emendo')));
  await code.window((vscode) => vscode.env.clipboard.writeText(''));

  await code.ask('Hello?');
  await code.waitForText('Hello.');
  assert.ok(!JSON.stringify(await code.model.requests()).includes('typed-'), 'the model learns of nothing that was typed');
});
