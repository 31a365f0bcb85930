/** The pictures of docs/vscode.md: `make pictures` takes them into docs/images. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { nightly, replace, run, until, type Code, type Options } from './harness.ts';
import { pictures } from './places.ts';

const fee = `"""What parking costs."""

PER_HOUR = 250  # in cents


def fee(minutes):
    hours = minutes // 60
    return hours * PER_HOUR


def receipt(minutes):
    return f"{fee(minutes)} cents"
`;
const tests = 'from fee import fee\n\n\ndef test_fee():\n    assert fee(61) == 500\n';

const options: Options = {
  files: { 'fee.py': fee, 'test_fee.py': tests },
  settings: {
    'workbench.colorTheme': 'Default Dark Modern',
    'window.title': '${rootName}',
    'breadcrumbs.enabled': false,
    'git.enabled': false,
    'editor.wordWrap': 'on',
    'keyboard.layout': 'US Standard',
    'workbench.layoutControl.enabled': false,
  },
  size: { width: 1240, height: 900 },
};

/** Makes the side bar wide enough for a conversation. */
async function widen(code: Code, width: number): Promise<void> {
  const bar = (await code.page.locator('.part.sidebar').boundingBox())!;
  await code.page.mouse.move(bar.x + bar.width, 300);
  await code.page.mouse.down();
  await code.page.mouse.move(bar.x + width, 300, { steps: 5 });
  await code.page.mouse.up();
  await until('the side bar is wide', async () => (await code.page.locator('.part.sidebar').boundingBox())!.width > width - 20);
}

async function picture(code: Code, name: string, of?: Locator): Promise<void> {
  mkdirSync(pictures, { recursive: true });
  await code.page.mouse.move(800, 2);
  await (of ?? code.page).screenshot({ path: join(pictures, `${name}.png`), animations: 'disabled' });
}

nightly('a picture of a review beside its conversation', options, async (code) => {
  await code.openFile('fee.py');
  await code.chat();
  await widen(code, 440);
  await code.model.add({
    events: [
      { think: '**Rounding**\n\nThe division rounds down.' },
      { text: 'An hour that has begun should be paid in full, but `//` rounds **down**: 61 minutes cost as much as 60.\n\nI round up instead, and show the fee in euros:' },
      {
        calls: [
          replace('fee.py', '    hours = minutes // 60\n', '    hours = -(-minutes // 60)\n'),
          replace('fee.py', '    return f"{fee(minutes)} cents"\n', '    return f"{fee(minutes) / 100:.2f} €"\n'),
        ],
      },
    ],
  });
  await code.ask('Why does the test fail? Fix it, and show euros on the receipt.');
  await until('both changes are drawn', async () => (await code.page.locator('.codelens-decoration:visible a', { hasText: /Accept/ }).count()) === 2);
  await picture(code, 'vscode');
});

nightly('a picture of a question about a command', options, async (code) => {
  await code.openFile('test_fee.py');
  await code.chat();
  await widen(code, 440);
  await code.model.add({ events: [{ text: 'I run the tests, and remove what they leave behind.' }, { calls: [run('python3 -m pytest -q; rm -rf .pytest_cache')] }] });
  await code.ask('Run the tests.');
  await code.chatFrame.getByRole('group', { name: 'Run this command?' }).waitFor();
  await picture(code, 'vscode-command');
});
