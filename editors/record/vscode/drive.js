// Runs code-server on a folder and opens it in a headless browser, since the
// extension host runs only for a page, until it is killed:
//   node drive.js CODE_SERVER FOLDER
// The folder has ws, the workspace, and takes the rest.
const { chromium } = require('playwright-core');
const { spawn } = require('node:child_process');
const { cpSync, mkdirSync, writeFileSync } = require('node:fs');
const { createServer } = require('node:net');
const { join } = require('node:path');

const [, , codeServer, dir] = process.argv;
const at = (...p) => join(dir, ...p);

async function main() {
  mkdirSync(at('data', 'User'), { recursive: true });
  cpSync(__dirname, at('extensions', 'emendo.recorder-1.0.0'), { recursive: true });
  writeFileSync(at('config.yaml'), 'auth: none\ncert: false\n');
  writeFileSync(at('data', 'User', 'settings.json'), JSON.stringify({
    'workbench.startupEditor': 'none', 'security.workspace.trust.enabled': false, 'telemetry.telemetryLevel': 'off',
    'update.mode': 'none', 'extensions.autoUpdate': false, 'extensions.autoCheckUpdates': false, 'chat.disableAIFeatures': true,
    'git.enabled': false, 'files.autoSave': 'off',
  }));
  const port = await new Promise((resolve) => {
    const s = createServer().listen(0, '127.0.0.1', () => { const p = s.address().port; s.close(() => resolve(p)); });
  });
  const server = spawn(codeServer, ['--config', at('config.yaml'), '--user-data-dir', at('data'), '--extensions-dir', at('extensions'),
    '--bind-addr', `127.0.0.1:${port}`, '--auth', 'none', '--disable-telemetry', '--disable-update-check', '--disable-workspace-trust',
    '--disable-getting-started-override', at('ws')], { stdio: 'inherit', env: { ...process.env, RECORD_STUB: at('stub') } });
  process.on('SIGHUP', () => { server.kill(); process.exit(); });
  const url = `http://127.0.0.1:${port}/`;
  while (!await fetch(url + 'healthz').then((r) => r.ok, () => false)) await new Promise((r) => setTimeout(r, 100));
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'] });
  const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
  await page.goto(`${url}?folder=${at('ws')}`, { waitUntil: 'commit', timeout: 0 });
}

main();
