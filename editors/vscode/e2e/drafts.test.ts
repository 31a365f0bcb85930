import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { nightly, waitForValue, journey, say, until, type Code } from './harness.ts';

const files = { 'fee.py': 'def fee(minutes):\n    return minutes * 250\n' };

async function waitForEditorText(what: string, prompt: Locator, text: string): Promise<void> {
  await until(`${what} has ${JSON.stringify(text)}`, async () => (await prompt.inputValue()) === text);
}

async function list(code: Code): Promise<void> {
  await code.palette('Emendo: Show Sessions');
  await code.chatFrame.getByRole('region', { name: 'Sessions' }).waitFor();
}

async function open(code: Code, title: string): Promise<void> {
  await list(code);
  await code.chatFrame.locator('.session', { hasText: title }).locator('.session-open').click();
}

async function begin(code: Code): Promise<void> {
  await list(code);
  await code.chatFrame.getByRole('button', { name: 'New session' }).first().click();
}

journey('each session has a draft of its own, until it is sent or the session is deleted', { files }, async (code) => {
  await code.openFile('fee.py');
  const chat = await code.chat();
  await code.model.add(say('By minutes.'));
  await code.ask('Explain the fee');
  await code.waitForText('By minutes.');
  await code.prompt.fill('to be asked there');
  const editor = chat.getByRole('button', { name: /^Send what the editor shows/ });
  await editor.click();
  const isLeftOut = () => until('the editor is left out', async () => (await editor.getAttribute('aria-pressed')) === 'false');
  await isLeftOut();

  await begin(code);
  await waitForEditorText('the new session', code.prompt, '');
  await waitForValue(() => editor.getAttribute('aria-pressed'), 'true');
  await code.prompt.click();
  await code.page.keyboard.type('something else');
  await open(code, 'Explain the fee');
  await waitForEditorText('the first session', code.prompt, 'to be asked there');
  await isLeftOut();
  await code.prompt.click();
  await code.page.keyboard.press('Control+z');
  assert.doesNotMatch(await code.prompt.inputValue(), /something else/, 'undo stays in the session');
  await code.prompt.fill('to be asked there');

  await code.reload();
  await code.chat();
  await code.waitForText('By minutes.');
  await waitForEditorText('the first session', code.prompt, 'to be asked there');
  await isLeftOut();
  await begin(code);
  await waitForEditorText('the new session', code.prompt, 'something else');

  // What is typed while the session is made goes on in it.
  await code.model.add(say('Well.'));
  await code.prompt.press('Enter');
  await code.page.keyboard.type('and then');
  await code.waitForText('Well.');
  await waitForEditorText('the second session', code.prompt, 'and then');
  await begin(code);
  await waitForEditorText('the next new session', code.prompt, '');
  await open(code, 'Explain the fee');
  await waitForEditorText('the first session', code.prompt, 'to be asked there');

  // ArrowUp brings back a prompt; what was being written is still the draft.
  await code.prompt.press('Control+Home');
  await code.prompt.press('ArrowUp');
  await waitForEditorText('the first session', code.prompt, 'something else');
  await open(code, 'something else');
  await waitForEditorText('the second session', code.prompt, 'and then');
  await open(code, 'Explain the fee');
  await waitForEditorText('the first session', code.prompt, 'to be asked there');

  await list(code);
  await code.chatFrame.locator('.session', { hasText: 'Explain the fee' }).locator('.session-open').focus();
  await code.page.keyboard.press('Delete');
  const sure = code.chatFrame.getByRole('group', { name: /^Delete .*\?$/ });
  await until('the session is deleted', async () => {
    if ((await sure.count()) > 0) {
      await sure.getByRole('button', { name: 'Delete' }).click({ timeout: 1000 });
    }
    return (await code.chatFrame.locator('.session').count()) === 1;
  });
  await begin(code);
  await waitForEditorText('the new session', code.prompt, '');
});

nightly('two views of a session have the same draft', { files }, async (code) => {
  await code.chat();
  await code.model.add(say('By minutes.'));
  await code.ask('Explain the fee');
  await code.waitForText('By minutes.');
  await code.prompt.fill('half');
  await list(code);
  await code.chatFrame.locator('.session-open').first().focus();
  await code.page.keyboard.press('Control+Enter');
  const tab = code.page.locator('iframe.webview.ready:not([src*="purpose=webviewView"])').contentFrame().frameLocator('iframe#active-frame');
  const prompt = tab.getByRole('textbox', { name: 'Prompt' });
  await waitForEditorText('the tab', prompt, 'half');
  await code.chatFrame.getByRole('button', { name: 'Back to the conversation' }).click();
  await prompt.click();
  await code.page.keyboard.press('Control+End');
  await code.page.keyboard.type(' a thought');
  await waitForEditorText('the view', code.prompt, 'half a thought');
  await code.model.add(say('Yes.'));
  await prompt.press('Enter');
  await until('it is answered', async () => (await tab.getByRole('log').innerText()).includes('Yes.'));
  await waitForEditorText('the tab', prompt, '');
  await waitForEditorText('the view', code.prompt, '');
});

nightly('a large picture in a draft outlives the window', { files }, async (code) => {
  const chat = await code.chat();
  await code.prompt.click();
  const frame = await code.frame();
  const characters = await frame.evaluate(async () => {
    const canvas = document.createElement('canvas');
    canvas.width = canvas.height = 600;
    const context = canvas.getContext('2d')!;
    const noise = context.createImageData(600, 600); // which no format makes small
    noise.data.forEach((_, i) => (noise.data[i] = i % 4 === 3 ? 255 : Math.random() * 256));
    context.putImageData(noise, 0, 0);
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
    const data = new DataTransfer();
    data.items.add(new File([blob!], 'noise.png', { type: 'image/png' }));
    document.querySelector('textarea')!.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
    return Math.ceil(blob!.size / 3) * 4;
  });
  assert.ok(characters > 256 << 10, `the picture has ${characters} characters`);
  const chip = chat.getByRole('button', { name: 'noise.png', exact: true });
  await chip.waitFor();
  await code.prompt.fill('What is in there?');
  await code.page.locator('.statusbar').click(); // the draft is stored when the box is left

  await code.reload();
  await code.chat();
  await waitForEditorText('the view', code.prompt, 'What is in there?');
  await chip.waitFor();
  await code.model.add(say('Noise.'));
  await code.prompt.press('Enter');
  await code.waitForText('Noise.');
  const asked = await code.model.lastRequest();
  const sizes = [...asked.matchAll(/"data":"([^"]+)"/g)].map(([, data]) => data!.length);
  assert.deepEqual(sizes, [characters], 'the model gets the picture');
});
