// Opens the built view in Chromium without VS Code, in a page that plays the
// extension: it answers requests, and sends what the caller gives it.
//
// EMENDO_CHROMIUM names the browser; else it is the one of install-chromium.sh.
import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { dirname, extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { themes } from './themes.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const types = { '.js': 'text/javascript', '.css': 'text/css', '.ttf': 'font/ttf', '.map': 'application/json' };

const page = (theme) => `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'nonce-dev' 'self'; style-src 'self' 'unsafe-inline'; font-src 'self'; img-src 'self' data:">
<style>:root{${Object.entries(themes[theme]).map(([name, value]) => `--vscode-${name}:${value}`).join(';')}}
body{background:var(--vscode-sideBar-background)}</style>
<link rel="stylesheet" href="/view.css"><title>Emendo</title></head>
<body><div id="root"></div><script type="module" nonce="dev" src="/view.js"></script></body></html>`;

/** The extension's part, in the page. \`answers\` are results by method; a request without one is kept in \`sent\`. */
function extension(init) {
  let state;
  window.sent = [];
  window.answers = {};
  window.give = (message) => window.postMessage(message, '*');
  window.acquireVsCodeApi = () => ({
    getState: () => state,
    setState: (next) => (state = next),
    postMessage: (message) => {
      window.sent.push(message);
      if (message.type === 'ready') {
        window.give({ type: 'init', ...init });
      } else if (message.id !== undefined) {
        const answer = window.answers[message.method];
        const result = typeof answer === 'function' ? answer(message.params) : answer;
        if (result instanceof Promise) {
          result.then((result) => window.give({ type: 'result', id: message.id, result }));
        } else if (result !== undefined) {
          window.give({ type: 'result', id: message.id, result });
        }
      }
    },
  });
}

/** What \`init\` says unless a caller says otherwise. */
export const init = {
  place: 'view',
  server: { state: 'running' },
  modes: [{ id: 'default', name: 'Default' }],
  window: { version: 0, items: [], questions: [], verbs: [] },
  unread: [],
  trusted: true,
  drafts: {},
  history: [],
  language: 'en',
  strings: {},
  folders: ['/home/me/project'],
  settings: { sendOnEnter: true, expandThoughts: false },
};

/** Starts the browser in which the view opens. */
async function launch() {
  const executablePath = process.env.EMENDO_CHROMIUM ?? execFileSync(join(root, '../install-chromium.sh'), { encoding: 'utf8' }).trim();
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--enable-precise-memory-info', '--js-flags=--expose-gc'] });
}

/** Opens the view, in a browser of its own if none is given; returns its page and what closes everything. */
export async function open({ theme = 'dark', width = 460, height = 900, state = {}, browser: given = undefined } = {}) {
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, 'http://localhost');
    if (pathname === '/') {
      response.setHeader('content-type', 'text/html').end(page(theme));
      return;
    }
    if (pathname === '/favicon.ico') {
      response.writeHead(204).end();
      return;
    }
    try {
      const file = await readFile(join(root, 'dist/view', normalize(pathname)));
      response.setHeader('content-type', types[extname(pathname)] ?? 'application/octet-stream').end(file);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  const browser = given ?? (await launch());
  const view = await browser.newPage({ viewport: { width, height }, ...(theme === 'contrast' ? { forcedColors: 'none' } : {}) });
  const problems = [];
  view.on('pageerror', (error) => problems.push(String(error)));
  view.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  await view.addInitScript(extension, { ...init, ...state });
  await view.goto(`http://127.0.0.1:${server.address().port}/`);
  return {
    view,
    problems,
    close: async () => {
      await (given ? view : browser).close();
      server.close();
    },
  };
}
