import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Code } from './code.ts';
import { journey, until } from './harness.ts';
import { places } from './places.ts';
import { report } from './report.ts';

const files = { 'fee.py': 'def fee(minutes):\n    return minutes * 250\n' };

/** JavaScript's memory of the page and all that is in it, after a collection, in MB. */
async function memory(code: Code): Promise<number> {
  const session = await code.page.context().newCDPSession(code.page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  await session.detach();
  return usedSize / 1e6;
}

/** Watches the frames of the view until `stop`, which returns the gaps between them in milliseconds. */
async function watchFrames(code: Code): Promise<{ stop: () => Promise<number[]> }> {
  const frame = await code.frame();
  await frame.evaluate(() => {
    const gaps: number[] = [];
    let last = performance.now();
    const tick = (now: number): void => {
      gaps.push(now - last);
      last = now;
      if (!(window as { over?: boolean }).over) {
        requestAnimationFrame(tick);
      }
    };
    requestAnimationFrame(tick);
    (window as unknown as { gaps: number[] }).gaps = gaps;
  });
  return {
    stop: () =>
      frame.evaluate(() => {
        (window as { over?: boolean }).over = true;
        return (window as unknown as { gaps: number[] }).gaps;
      }),
  };
}

/** An event of Chromium's tracing, as far as it is used. Times are in microseconds. */
interface Traced {
  name: string;
  ph: string;
  pid: number;
  tid: number;
  /** How long the processor worked at it: what else runs on the machine does not count. */
  tdur?: number;
  args?: { name?: string };
}

/** Watches the tasks of the page's main thread until `stop`, which returns their processor times in milliseconds. */
async function watchTasks(code: Code): Promise<{ stop: () => Promise<number[]> }> {
  const browser = code.page.context().browser()!;
  await browser.startTracing(code.page, { categories: ['-*', 'toplevel'] });
  return {
    async stop() {
      const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: Traced[] };
      const main = new Set(traceEvents.filter(({ ph, name, args }) => ph === 'M' && name === 'thread_name' && args?.name === 'CrRendererMain').map(({ pid, tid }) => `${pid}:${tid}`));
      return traceEvents.flatMap(({ ph, name, pid, tid, tdur }) => (ph === 'X' && /RunTask$/.test(name) && tdur !== undefined && main.has(`${pid}:${tid}`) ? [tdur / 1000] : []));
    },
  };
}

/** An answer of many chunks, with all that Markdown has. */
function chunks(count: number): { text: string }[] {
  const words = ['The', ' fee', ' is', ' **250**', ' an', ' hour', ', see', ' `fee.py`', '.', '\n\n', '- one\n', '- two\n\n', '```py\nx = 1\n```\n\n', '## Why\n\n'];
  return Array.from({ length: count }, (_, i) => ({ text: words[i % words.length]! }));
}

journey('20,000 chunks stream', { files }, async (code) => {
  await code.openFile('fee.py');
  const before = await memory(code);
  await code.chat();
  await code.model.add({ events: [...chunks(20_000), { text: '\n\nThe very end.' }] });
  const tasks = await watchTasks(code);
  const frames = await watchFrames(code);
  await code.prompt.fill('Go');
  await code.prompt.press('Enter');
  const frame = await code.frame();
  await frame.evaluate(async () => {
    const log = document.querySelector('[role=log]')!;
    while (!log.textContent.includes('The very end.')) {
      await new Promise((resolve) => setTimeout(resolve, 250)); // looking more often would slow the view down
    }
  });
  const gaps = await frames.stop();
  const times = await tasks.stop();
  assert.ok(times.length > 0, 'tasks were traced');
  report('the longest task while 20,000 chunks stream, in processor time', Math.max(...times), 'ms', 100);
  report('the longest frame while 20,000 chunks stream', Math.max(...gaps), 'ms', 100);
  report('frames over 100 ms while 20,000 chunks stream', gaps.filter((gap) => gap > 100).length, 'frames', 1);
  report('memory of the view after 20,000 chunks', (await memory(code)) - before, 'MB', 150);
  await code.screenshot('measure-chunks');
});

journey('a session of 1,000 messages opens', { files }, async (code) => {
  const chat = join(code.profile.folder, 'long.json');
  writeFileSync(chat, JSON.stringify(longSession(1000)));
  code.profile.emendo(places().program, 'sessions', 'import', chat);
  await code.chat();
  const before = await memory(code);
  await code.command('emendo.sessions');
  const entry = code.chatFrame.getByRole('button', { name: /^Question 0/ });
  await entry.waitFor();
  const frame = await code.frame();
  const took = await frame.evaluate(async () => {
    const button = [...document.querySelectorAll('button')].find((each) => each.innerText.includes('Question 0'))!;
    const start = performance.now();
    button.click();
    while (!document.body.innerText.includes('Answer 999 ends here.')) {
      await new Promise(requestAnimationFrame);
    }
    await new Promise(requestAnimationFrame);
    return performance.now() - start;
  });
  report('a session of 1,000 messages is shown', took, 'ms', 1000);
  report('memory of the view with 1,000 messages', (await memory(code)) - before, 'MB', 150);
  await code.screenshot('measure-long');

  await code.log.focus();
  await code.page.keyboard.press('Control+f');
  const field = code.chatFrame.getByRole('textbox', { name: 'Find in the conversation' });
  const count = code.chatFrame.locator('.find-count');
  const start = Date.now();
  await field.fill('ends here');
  await until('matches are counted in turns that are not drawn', async () => (await count.innerText()).endsWith(' of 500'));
  report('find in 1,000 messages', Date.now() - start, 'ms', 1000);
  await field.fill('Answer 1 ends here');
  await until('the match is drawn and seen', () =>
    frame.evaluate(() => {
      const [match] = [...(CSS.highlights.get('find-current') ?? [])];
      const turn = match?.startContainer.parentElement?.closest('article');
      const box = document.querySelector('[role=log]')!;
      return turn?.getAttribute('aria-label') === 'Turn 1' && box.scrollTop < turn.offsetHeight;
    }),
  );
  assert.equal(await count.innerText(), '1 of 1');
  await code.screenshot('measure-find');
});

journey('the extension activates', { files }, async (code) => {
  await code.command('workbench.action.showRuntimeExtensions');
  const row = code.page.locator('.runtime-extensions-editor .monaco-list-row', { hasText: 'emendo' }).filter({ hasNotText: 'tests' });
  const text = await until('the time is shown', async () => /Activation:\s*(\d+)\s*ms/.exec(await row.first().innerText({ timeout: 1000 })));
  report('activation', Number(text[1]), 'ms', 50);
});

/** A conversation in the form of another program, which emendo imports. */
function longSession(messages: number): unknown {
  const time = (i: number): string => new Date(Date.UTC(2025, 9, 1, 8, 0, i)).toISOString();
  return {
    sessionId: '6f0c2b1e-5a44-4d0e-9d53-0a3d6d1f7a11',
    startTime: time(0),
    lastUpdated: time(messages),
    messages: Array.from({ length: messages }, (_, i) =>
      i % 2 === 0
        ? { id: String(i), timestamp: time(i), type: 'user', content: `Question ${i}: what does line ${i} of fee.py do?` }
        : {
            id: String(i), timestamp: time(i), type: 'gemini',
            content: `It multiplies **${i}** by the rate:\n\n\`\`\`py\nreturn hours * ${i}\n\`\`\`\n\n- first\n- second\n\nAnswer ${i} ends here.`,
          },
    ),
  };
}
