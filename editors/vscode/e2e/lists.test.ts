import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { assertContains, call, journey, run, say, until, type Code } from './harness.ts';
import { repository } from './places.ts';

const script = join(repository, 'mcp/e2e/node_modules/@modelcontextprotocol/server-everything/dist/index.js');

const hook = { hookSpecificOutput: { additionalContext: 'hello from the hook' } };

const files = {
  'fee.py': 'def fee(minutes):\n    return minutes * 250\n',
  '.emendo/skills/tariff/SKILL.md': '---\nname: tariff\ndescription: How the tariff is computed.\n---\nAlways round up.\n',
  '.emendo/agents/tester.md': '---\nname: tester\ndescription: Tests the tariff thoroughly.\n---\nTest.\n',
};

const settings = {
  'emendo.mcpServers': { everything: { command: 'node', args: [script] } },
  'emendo.hooks.BeforeAgent': [{ hooks: [{ type: 'command', name: 'greeter', command: `echo '${JSON.stringify(hook)}'` }] }],
};

/** What is disabled in the journey, as the model reads of it. */
const used = ['mcp_everything_echo', 'How the tariff is computed.', 'Tests the tariff thoroughly.'];

/** Chooses a row of the open list by keys alone: its name, and what stands below it. */
async function choose(code: Code, name: string, note = ''): Promise<void> {
  const row = code.page.locator('.quick-input-list .monaco-list-row.focused');
  const input = code.page.locator('.quick-input-widget input:visible');
  await until(`the list offers ${name}`, async () => {
    await input.fill(name, { timeout: 1000 });
    const label = await row.getAttribute('aria-label', { timeout: 1000 });
    return label?.includes(name) && label.includes(note);
  });
  await code.page.keyboard.press('Enter');
}

/** Waits for the text above the rows of a list, which says what the last action has done. */
function says(code: Code, text: string): Promise<unknown> {
  const input = code.page.locator('.quick-input-widget input:visible');
  return until(`the list says ${text}`, async () => (await input.getAttribute('placeholder', { timeout: 1000 }))?.includes(text));
}

/** Opens a list from the palette. */
async function open(code: Code, list: string): Promise<void> {
  await code.palette('Emendo: MCP Servers, Agents, Skills, Hooks and Rules');
  await choose(code, list);
}

async function leave(code: Code): Promise<void> {
  await code.pressUntil('Escape', 'the list is closed', async () => (await code.page.locator('.quick-input-widget:visible').count()) === 0);
}

journey('servers, skills, agents, hooks and rules are listed and switched', { files, settings }, async (code) => {
  assert.ok(existsSync(script), 'run mcp/e2e/install.sh, as make test does');
  await code.model.add(call(run('date')), say('I have it all.'));
  await code.ask('What is there?');
  await code.answer('Run this command?', /Always allow exactly this/);
  await code.waitForText('I have it all.');
  const first = await requests(code);
  [...used, hook.hookSpecificOutput.additionalContext].forEach((text) => assertContains(first.join(''), text));

  await open(code, 'MCP Servers');
  await choose(code, 'everything', 'ready');
  await choose(code, 'Restart');
  await says(code, 'everything is being started again.');
  await code.screenshot('lists-servers');
  await choose(code, 'everything');
  await choose(code, 'Disable');
  await says(code, 'everything is disabled.');
  await leave(code);
  for (const [list, name] of [['Skills', 'tariff'], ['Agents', 'tester'], ['Hooks', 'greeter']] as const) {
    await open(code, list);
    await choose(code, name);
    await choose(code, 'Disable');
    await says(code, `${name} is disabled`);
    await leave(code);
  }
  await code.model.add(say('I have less.'));
  await code.ask('And now?');
  await code.waitForText('I have less.');
  const second = (await requests(code)).at(-1)!;
  used.forEach((text) => assert.ok(!second.includes(text), `${text} is in the next request`));
  assert.ok(!second.slice(second.lastIndexOf('And now?')).includes('hello from the hook'), 'the hook has run');

  await open(code, 'MCP Servers');
  await choose(code, 'everything', 'disabled');
  await choose(code, 'Enable');
  await says(code, 'everything is enabled.');
  await leave(code);
  await code.palette('Emendo: Show Menu');
  await choose(code, 'MCP Servers, Agents, Skills, Hooks and Rules');
  await choose(code, 'Rules');
  await choose(code, 'date');
  await choose(code, 'Revoke');
  await says(code, 'The rule is revoked.');
  await leave(code);
  await code.model.add(call(run('date')), say('It is back.'));
  await code.ask('And again?');
  await code.answer('Run this command?', /Allow once/);
  await code.waitForText('It is back.');
  assertContains((await requests(code)).at(-1)!, used[0]!);
});

async function requests(code: Code): Promise<string[]> {
  return (await code.model.requests()).map(({ body }) => JSON.stringify(body));
}
