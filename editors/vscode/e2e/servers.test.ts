import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { call, assertContains, journey, say, until, type Code } from './harness.ts';
import { repository } from './places.ts';

const script = join(repository, 'mcp/e2e/node_modules/@modelcontextprotocol/server-everything/dist/index.js');

const files = {
  'fee.py': 'def fee(minutes):\n    return minutes * 250\n',
  '.mcp.json': JSON.stringify({ mcpServers: { everything: { command: 'node', args: [script] } } }),
  '.emendo/skills/tariff/SKILL.md': '---\nname: tariff\ndescription: How the tariff is computed.\n---\nAlways round up.\n',
};

/** Waits for a question and gives an answer, again until it counts: a card that has just appeared takes none. */
async function answers(code: Code, title: string | RegExp, button: string, seen: (card: Locator) => Promise<void> = async () => {}): Promise<void> {
  const card = code.chatFrame.getByRole('group', { name: title });
  await card.waitFor();
  await seen(card);
  await until('the answer counts', async () => {
    if ((await card.count()) > 0) {
      await card.getByRole('button', { name: button }).click({ timeout: 1000 });
    }
    return (await card.count()) === 0;
  });
}

// Its script is outside of the workspace, where the sandbox of a project's servers does not read.
const settings = { 'emendo.mcp.outsideSandbox': ['everything'] };

journey('a skill, a server that asks, and an agent with its calls', { files, settings }, async (code) => {
  assert.ok(existsSync(script), 'run mcp/e2e/install.sh, as make test does');
  const sidebar = code.page.locator('.part.sidebar');
  await code.model.add(
    call({ name: 'activate_skill', args: { name: 'tariff' } }),
    call({ name: 'mcp_everything_trigger-elicitation-request', args: {} }),
    call({ name: 'invoke_agent', args: { agent_name: 'codebase_investigator', prompt: 'Count the functions.' } }),
    call({ name: 'read_file', args: { file_path: 'fee.py' } }),
    { gate: 'report', ...call({ name: 'complete_task', args: { result: 'It has one function.' } }) },
    say('All of it is done.'),
  );
  await code.ask('Use them all.');

  await answers(code, 'Start the MCP server everything of this folder?', 'Start it once', async (card) => {
    assertContains(await card.innerText(), script);
    await code.screenshot('servers-start', sidebar);
  });
  await answers(code, 'Use the skill tariff?', 'Allow once');
  await answers(code, 'Use the tool trigger-elicitation-request of the MCP server everything?', 'Allow once');
  await answers(code, 'The MCP server everything asks', 'Send', async (card) => {
    await card.getByRole('textbox').first().fill('Ada');
    assert.deepEqual(await code.axe(), []);
    await code.screenshot('servers-form', sidebar);
  });

  const agent = code.log.locator('.tool', { hasText: 'Count the functions.' }).first();
  await agent.locator('.tool', { hasText: 'Read fee.py' }).waitFor();
  await code.screenshot('servers-agent', sidebar);
  await code.model.open('report');
  await code.waitForText('All of it is done.');
  const told = (await code.model.requests()).map(({ body }) => JSON.stringify(body));
  ['How the tariff is computed.', 'Always round up.', 'Name: Ada'].forEach((text, index) => assertContains(told[index]!, text));

  await code.ask('/mcp');
  await code.log.getByText(/ready, with .*trigger-elicitation-request/).waitFor();
  await code.screenshot('servers-state', sidebar);
});
