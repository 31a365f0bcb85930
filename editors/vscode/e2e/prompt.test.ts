import assert from 'node:assert/strict';
import { nightly, waitForValue, journey, say, until, type Code } from './harness.ts';

const files = {
  'fee.py': 'def fee(minutes):\n    hours = minutes // 60\n    return hours * 250\n',
  'src/main.py': 'import fee\n\nprint(fee.fee(90))\n',
  'README.md': '# Parking\n',
};

/** What the prompt box has. */
function typed(code: Code): Promise<string> {
  return code.prompt.inputValue();
}

async function waitForEditorText(code: Code, text: string): Promise<void> {
  await waitForValue(() => typed(code), text, 'the text of the prompt box');
}

journey('the prompt completes, and carries what its chips stand for', { files }, async (code) => {
  await code.select('fee.py', 1, 0, 2, 0);
  const chat = await code.chat();
  await code.prompt.click();
  const offers = chat.getByRole('listbox', { name: 'Suggestions' });

  await code.prompt.pressSequentially('Compare @ma');
  await offers.getByRole('option', { name: 'src/main.py' }).waitFor();
  await code.screenshot('prompt-files');
  await code.prompt.press('Enter');
  await waitForEditorText(code, 'Compare src/main.py ');
  const chips = chat.getByRole('group', { name: 'Context of the prompt' });
  await chips.getByRole('button', { name: /^main\.py/ }).waitFor();

  await code.prompt.pressSequentially('with @sel');
  await offers.getByRole('option').first().waitFor();
  await code.screenshot('prompt-selection');
  await code.prompt.press('Tab');
  await waitForEditorText(code, 'Compare src/main.py with ');
  await code.prompt.pressSequentially('please');
  assert.deepEqual(await code.axe(), []);
  await code.screenshot('prompt-chips');

  // Backspace goes to the chips from the text's beginning, and removes one there.
  await code.prompt.press('Control+Home');
  await code.prompt.press('Backspace');
  await code.page.keyboard.press('Backspace');
  await until('one chip is left', async () => (await chips.getByRole('button', { name: /^Remove/ }).count()) === 1);
  await code.prompt.click();

  await code.model.add(say('Compared.'));
  await code.prompt.press('Enter');
  await code.waitForText('Compared.');
  const asked = await code.model.lastRequest();
  assert.match(asked, /Compare src\/main\.py with please/);
  assert.match(asked, /print\(fee\.fee\(90\)\)/, 'the file goes with the prompt');
  await waitForEditorText(code, '');
});

nightly('commands of the project are offered before the first prompt', { files: { ...files, '.emendo/commands/audit.toml': 'description = "Audits a file."\nprompt = "Audit {{args}}."\n' } }, async (code) => {
  const chat = await code.chat();
  await code.prompt.click();
  await code.prompt.pressSequentially('/aud');
  await chat.getByRole('listbox', { name: 'Suggestions' }).getByRole('option', { name: '/audit' }).waitFor();
  assert.deepEqual(await code.model.requests(), [], 'nothing is sent for that');
});

journey('the file in front stays in front for the model while the user writes', { files }, async (code) => {
  await code.openFile('README.md');
  await code.select('fee.py', 1, 4, 1, 9);
  const chat = await code.chat();
  await code.prompt.click();
  await chat.getByRole('button', { name: 'Send what the editor shows: fee.py:2' }).waitFor();
  await code.model.add(say('First.'), say('Second.'));
  await code.ask('What is this?');
  await code.waitForText('First.');
  assert.match(await code.model.lastRequest(), /fee\.py/);
  assert.match(await code.model.lastRequest(), /hours/, 'the selection goes with the first prompt');

  await code.select('README.md', 0, 0, 0, 9);
  await code.prompt.click();
  const editor = chat.getByRole('button', { name: /^Send what the editor shows/ });
  await until('the chip follows the editor', async () => (await editor.getAttribute('aria-label'))?.includes('README.md'));
  await editor.click();
  await waitForValue(() => editor.getAttribute('aria-pressed'), 'false');
  await code.ask('And without it?');
  await code.waitForText('Second.');
  const last = (await code.model.requests()).at(-1)!.said;
  assert.doesNotMatch(last, /README/, 'what is switched off does not go along');
  await until('it is on again', async () => (await editor.getAttribute('aria-pressed')) === 'true');
});

journey('what is written is not lost', { files }, async (code) => {
  const chat = await code.chat();
  await code.model.add({ fail: { status: 400, message: 'The request is bad.' } }, say('Taken.'));
  await code.prompt.click();
  await code.prompt.pressSequentially('/nonsense now');
  await code.prompt.press('Enter');
  await chat.getByRole('alert').getByText(/nonsense/).waitFor();
  await waitForEditorText(code, '/nonsense now');
  await code.screenshot('prompt-refused');

  // Undo brings back what was sent or replaced.
  await code.prompt.fill('');
  await code.prompt.pressSequentially('one two');
  await code.prompt.press('Control+z');
  await until('undo works', async () => (await typed(code)) !== 'one two');
  await code.prompt.fill('');

  await code.prompt.pressSequentially('a first line');
  await code.prompt.press('Shift+Enter');
  await code.prompt.pressSequentially('a second');
  await waitForEditorText(code, 'a first line\na second');
  await code.reload();
  await code.chat();
  await waitForEditorText(code, 'a first line\na second');

  await code.prompt.click();
  await code.prompt.press('Control+End');
  await code.prompt.press('Enter');
  await code.chatFrame.getByRole('button', { name: 'Try again' }).waitFor();
  await code.prompt.press('ArrowUp');
  await waitForEditorText(code, 'a first line\na second');
  await code.prompt.press('ArrowUp');
  await waitForEditorText(code, '/nonsense now');
  await code.prompt.press('ArrowUp');
  await waitForEditorText(code, '/nonsense now');
  await code.prompt.press('Control+End');
  await code.prompt.press('ArrowDown');
  await waitForEditorText(code, 'a first line\na second');
  await code.prompt.press('ArrowDown');
  await waitForEditorText(code, '');
});

nightly('pictures and long texts become chips', { files }, async (code) => {
  const chat = await code.chat();
  await code.prompt.click();
  const frame = await code.frame();
  // A picture, as the clipboard has it.
  await frame.evaluate(async () => {
    const canvas = document.createElement('canvas');
    canvas.width = canvas.height = 40;
    const context = canvas.getContext('2d')!;
    context.fillStyle = 'crimson';
    context.fillRect(0, 0, 40, 40);
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
    const data = new DataTransfer();
    data.items.add(new File([blob!], 'red.png', { type: 'image/png' }));
    document.querySelector('textarea')!.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
  });
  await chat.getByRole('button', { name: 'red.png', exact: true }).waitFor();
  const long = Array.from({ length: 60 }, (_, line) => `line ${line}`).join('\n');
  await frame.evaluate((text) => {
    const data = new DataTransfer();
    data.setData('text/plain', text);
    document.querySelector('textarea')!.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
  }, long);
  await chat.getByRole('button', { name: /^Pasted text, 60 lines/ }).waitFor();
  await frame.evaluate(() => {
    const data = new DataTransfer();
    data.setData('text/plain', 'x'.repeat(200_000));
    document.querySelector('textarea')!.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
  });
  await chat.getByRole('button', { name: /^Pasted text, 200 KB/ }).waitFor();
  // A file from the explorer, and one from outside the workspace.
  await frame.evaluate((uris) => {
    const data = new DataTransfer();
    data.setData('text/uri-list', uris.join('\r\n'));
    document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
  }, [`file://${code.profile.file('src/main.py')}`, `file://${code.profile.file('src/gone.py')}`, 'file:///etc/hostname']);
  await chat.getByRole('button', { name: /^main\.py/ }).waitFor();
  await chat.getByRole('alert').getByText(/hostname was not added/).waitFor();
  await chat.getByRole('alert').getByText('gone.py was not added. The file does not exist.').waitFor();
  await code.screenshot('prompt-attached');

  await code.model.add(say('Seen.'));
  await code.ask('What is all this?');
  await code.waitForText('Seen.');
  const asked = await code.model.lastRequest();
  assert.match(asked, /image\/png/);
  assert.match(asked, /line 59/);
  assert.match(asked, /print\(fee\.fee\(90\)\)/);
  assert.doesNotMatch(asked, /etc\/hostname/);
});

journey('prompts wait, are changed, and steer', { files }, async (code) => {
  const chat = await code.chat();
  const usage = { promptTokenCount: 400_000, candidatesTokenCount: 10, totalTokenCount: 400_010 };
  await code.model.add({ events: [{ text: 'Wait', usage }, { text: ' for it.', gate: 'end' }] });
  await code.ask('Begin');
  await code.waitForText('Wait');
  const queue = chat.getByRole('region', { name: 'Queued prompts' });
  for (const text of ['And then this', 'And that']) {
    await code.ask(text);
    await queue.getByText(text).waitFor();
  }
  await code.prompt.fill('Half a thought');
  await code.screenshot('prompt-queue');
  assert.deepEqual(await code.axe(), []);

  await queue.getByRole('button', { name: 'Edit: And that' }).click();
  await waitForEditorText(code, 'And that');
  await code.prompt.press('Control+End');
  await code.prompt.pressSequentially(' as well');
  await code.prompt.press('Enter');
  await queue.getByText('And that as well').waitFor();
  await waitForEditorText(code, 'Half a thought');

  await queue.getByRole('button', { name: 'Move up: And that as well' }).click();
  await until('it is the first', async () => (await queue.getByRole('listitem').first().innerText()).includes('And that as well'));
  await queue.getByRole('button', { name: 'Remove: And then this' }).click();
  await until('it is gone', async () => (await queue.getByRole('listitem').count()) === 1);

  await chat.getByRole('button', { name: 'Stop' }).click();
  await queue.getByText('The queue is paused: 1 prompt waits until you resume it').waitFor();
  await code.screenshot('prompt-paused');
  await waitForEditorText(code, 'Half a thought');
  await code.model.add(say('Went on.'));
  await queue.getByRole('button', { name: 'Resume the queue' }).click();
  await code.waitForText('Went on.');
  assert.match((await code.model.requests()).at(-1)!.said, /And that as well/);
  await until('nothing waits', async () => !(await queue.isVisible()));

  await code.model.add({ events: [{ calls: [{ name: 'list_directory', args: { dir_path: '.' } }], gate: 'call' }] }, say('Turned.'));
  await code.ask('Look around');
  await code.prompt.fill('Only in src');
  await chat.getByRole('button', { name: 'Stop' }).waitFor();
  await code.prompt.press('Alt+Enter');
  await queue.getByText('Only in src').waitFor();
  await code.model.open('call');
  await code.waitForText('Turned.');
  assert.match(await code.model.lastRequest(), /Only in src/);
});

journey('panels say what would be sent, and change it', { files }, async (code) => {
  await code.openFile('fee.py');
  const chat = await code.chat();
  await code.prompt.click();
  await code.prompt.pressSequentially('/');
  await chat.getByRole('option', { name: /compact/ }).waitFor();
  await code.screenshot('prompt-commands');
  await code.prompt.press('Escape');
  await code.prompt.fill('');

  await code.prompt.press('Control+.');
  const panel = chat.getByRole('dialog');
  await panel.getByRole('option', { name: /Plan/ }).waitFor();
  await code.screenshot('prompt-mode');
  assert.deepEqual(await code.axe(), []);
  await panel.getByRole('option', { name: /Plan/ }).click();
  await chat.getByRole('button', { name: /^Mode: Plan/ }).waitFor();

  await chat.getByRole('button', { name: /^Model:/ }).click();
  await panel.getByRole('option').first().waitFor();
  await code.screenshot('prompt-model');
  assert.deepEqual(await code.axe(), []);
  await code.page.keyboard.press('Escape');
  await panel.waitFor({ state: 'detached' });

  await chat.getByRole('button', { name: 'What is sent' }).click();
  await panel.getByText('Looking…').waitFor({ state: 'detached' });
  await code.screenshot('prompt-ledger');
  assert.deepEqual(await code.axe(), []);
});
