// Measures the view in Chromium and prints what it found: long frames while
// 20,000 chunks stream, the time until a session of 1,000 messages is shown, the
// memory after each, and how the view copes with what is hostile or too large.
import { long, viewOf } from './conversation.mjs';
import { open } from './harness.mjs';

/** Collects frames that took longer than 50 ms. */
async function watch(view) {
  await view.evaluate(() => {
    window.frames_ = [];
    let last = performance.now();
    const tick = (now) => {
      window.frames_.push(now - last);
      last = now;
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
    window.tasks = [];
    new PerformanceObserver((list) => window.tasks.push(...list.getEntries().map(({ duration }) => Math.round(duration)))).observe({ type: 'longtask' });
  });
}

const report = (view) =>
  view.evaluate(() => {
    window.gc?.();
    const frames = window.frames_.sort((a, b) => b - a);
    return {
      frames: frames.length,
      longest: frames.slice(0, 5).map(Math.round),
      over100: frames.filter((ms) => ms > 100).length,
      tasks: window.tasks.sort((a, b) => b - a).slice(0, 5),
      heapMB: Math.round(performance.memory.usedJSHeapSize / 1e6),
      elements: document.querySelectorAll('*').length,
    };
  });

/** Streams chunks of a text of many kinds of blocks, as many in each frame as come in 16 ms at a pace. */
async function stream(kind, perFrame) {
  const { view, problems, close } = await open({ state: { sessionId: 's' } });
  await view.evaluate((shown) => {
    window.answers.view = shown;
    window.give({ type: 'server', server: { state: 'starting' } });
    window.give({ type: 'server', server: { state: 'running' } });
  }, viewOf([]));
  await view.waitForSelector('.empty');
  await watch(view);
  const took = await view.evaluate(
    ({ kind, perFrame }) =>
      new Promise((resolve) => {
        const prose = 'The **scanner** reads `scan/lines.go:12` and [stops](a.go#L3) *early* when a line has no end. ';
        const list = '- an item with `code`\n- another item that is longer\n';
        const code = '```go\nfunc (s *Scanner) Next() bool {\n\treturn s.rest != nil // more\n}\n```\n\n';
        const table = '| a | b |\n| - | - |\n| 1 | 2 |\n| 3 | 4 |\n\n';
        const mixed = `## A heading\n\n${prose.repeat(3)}\n\n${list}\n${code}${table}`;
        const text = { mixed: mixed.repeat(2000), fence: '```go\n' + '\tline := next(scanner) // of many lines of code\n'.repeat(30_000), list: list.repeat(20_000), paragraph: prose.repeat(10_000) }[kind];
        const size = 40;
        const began = performance.now();
        let version = 1;
        let sent = 0;
        const send = (...changes) => window.dispatchEvent(new MessageEvent('message', { data: { type: 'changes', sessionId: 's', version: ++version, changes } }));
        const turn = (state) => ({ item: { id: 't', kind: 'turn', state, title: { text: '', code: 'turn.done' } } });
        send(turn('running'), { item: { id: 'p', parent: 't', kind: 'user', title: { text: '' }, parts: [{ kind: 'text', text: 'Go' }] } });
        send({ item: { id: 'm', parent: 't', kind: 'answer', state: 'running', title: { text: '' }, parts: [{ kind: 'markdown' }] } });
        const tick = () => {
          for (let i = 0; i < perFrame && sent < 20_000; i++, sent++) {
            send({ append: 'm', text: text.slice(sent * size, (sent + 1) * size) });
          }
          if (sent < 20_000) {
            requestAnimationFrame(tick);
          } else {
            send({ item: { id: 'm', parent: 't', kind: 'answer', state: 'done', title: { text: '' } } }, turn('done'));
            const done = () => (document.querySelector('.summary') ? setTimeout(() => resolve(Math.round(performance.now() - began)), 1000) : requestAnimationFrame(done));
            done();
          }
        };
        tick();
      }),
    { kind, perFrame },
  );
  const { scrollTop, rest } = await view.evaluate(() => {
    const { scrollTop, scrollHeight, clientHeight } = document.querySelector('.transcript');
    return { scrollTop, rest: scrollHeight - scrollTop - clientHeight };
  });
  console.log(`20,000 chunks, ${kind}, ${perFrame} in a frame:`, took, 'ms', JSON.stringify(await report(view)), { scrollTop, rest }, problems);
  await close();
}

async function load(turns) {
  const { view, problems, close } = await open();
  await view.waitForSelector('.empty');
  await watch(view);
  const took = await view.evaluate(
    (shown) =>
      new Promise((resolve) => {
        window.answers.view = shown;
        window.answers['emendo/view/find'] = { ids: shown.items.filter(({ kind }) => kind === 'answer').map(({ id }) => id) };
        const began = performance.now();
        const done = () => {
          const last = [...document.querySelectorAll('.turn')].at(-1);
          if (last?.querySelector('table')) {
            requestAnimationFrame(() => resolve(Math.round(performance.now() - began)));
          } else {
            requestAnimationFrame(done);
          }
        };
        window.give({ type: 'show', sessionId: 's' });
        done();
      }),
    viewOf(long(turns)),
  );
  await view.waitForTimeout(1000);
  console.log(`${turns * 2} messages:`, took, 'ms', JSON.stringify(await report(view)), problems);
  await view.keyboard.press('Control+f');
  const began = Date.now();
  await view.locator('.find input').fill('standard library');
  await view.waitForFunction((turns) => document.querySelector('.find-count').textContent.endsWith(` ${turns}`), turns);
  console.log('  found in all after', Date.now() - began, 'ms', JSON.stringify(await report(view)));
  const stepped = await view.evaluate(
    () =>
      new Promise((resolve) => {
        const began = performance.now();
        const look = () => {
          const match = [...(CSS.highlights.get('find-current') ?? [])][0];
          const turn = match?.startContainer.parentElement.closest('.turn');
          if (turn === document.querySelector('.turn') && document.querySelector('.transcript').scrollTop < turn.offsetHeight) {
            resolve(Math.round(performance.now() - began));
          } else {
            requestAnimationFrame(look);
          }
        };
        document.querySelector('.find input').dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
        look();
      }),
  );
  console.log('  went from the last to the first after', stepped, 'ms', JSON.stringify(await report(view)));
  await close();
}

async function large() {
  const big = (name, text) => ({ name, text });
  const cases = [
    big('a block of 10 MB', '```\n' + 'some output of a program, line after line\n'.repeat(250_000) + '```\n'),
    big('a line of 10 MB in a block', '```\n' + 'x'.repeat(10_000_000) + '\n```\n'),
    big('a line of 10 MB', 'x'.repeat(10_000_000)),
    big('a paragraph of 2 MB', 'words and `code` and **more** '.repeat(70_000)),
    big('100,000 brackets', '['.repeat(100_000)),
    big('100,000 stars', '*a '.repeat(50_000)),
    big('deep quotes', '>'.repeat(5_000) + ' x'),
    big('deep lists', Array.from({ length: 400 }, (_, i) => ' '.repeat(i * 2) + '- x').join('\n')),
    big('backticks', Array.from({ length: 2_000 }, (_, i) => '`'.repeat(i % 300)).join(' ')),
    big('links', '[a](b'.repeat(20_000)),
  ];
  for (const { name, text } of cases) {
    const { view, problems, close } = await open({ state: { sessionId: 's' } });
    await view.evaluate((shown) => {
      window.answers.view = shown;
      window.give({ type: 'server', server: { state: 'starting' } });
      window.give({ type: 'server', server: { state: 'running' } });
    }, viewOf([]));
    await view.waitForSelector('.empty');
    await watch(view);
    const took = await view.evaluate(
      (text) =>
        new Promise((resolve) => {
          const began = performance.now();
          const item = (id, kind, more) => ({ item: { id, kind, title: { text: '', code: 'turn.done' }, ...(kind !== 'turn' && { parent: 't' }), ...more } });
          const changes = [item('t', 'turn', { state: 'done' }), item('p', 'user', { parts: [{ kind: 'text', text: 'Go' }] }), item('m', 'answer', { state: 'done', parts: [{ kind: 'markdown', text }] })];
          window.give({ type: 'changes', sessionId: 's', version: 2, changes });
          const done = () => (document.querySelector('.summary') ? requestAnimationFrame(() => resolve(Math.round(performance.now() - began))) : setTimeout(done, 20));
          done();
        }),
      text,
    );
    await view.waitForTimeout(300);
    console.log(`${name}:`, took, 'ms', JSON.stringify(await report(view)), problems);
    await close();
  }
}

const what = process.argv[2] ?? 'all';
if (what === 'all' || what === 'load') {
  await load(500);
}
if (what === 'all' || what === 'stream') {
  await stream('mixed', 20);
  await stream('mixed', 200);
  await stream('fence', 20);
  await stream('list', 20);
  await stream('paragraph', 20);
}
if (what === 'all' || what === 'large') {
  await large();
}
