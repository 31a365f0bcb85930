// Takes pictures of the view with a conversation, and of one before it begins:
// node view/dev/show.mjs FOLDER
import { join } from 'node:path';
import { items, viewOf, windowOf } from './conversation.mjs';
import { open } from './harness.mjs';

const folder = process.argv[2] ?? 'dist';
for (const theme of ['dark', 'light', 'contrast']) {
  const { view, problems, close } = await open({ theme, state: { sessionId: 's' }, height: 1700 });
  await view.evaluate((shown) => {
    window.answers.view = shown;
    window.answers['emendo/view/find'] = { ids: [] };
    window.give({ type: 'show', sessionId: 's' });
    window.give({ type: 'server', server: { state: 'starting' } });
    window.give({ type: 'server', server: { state: 'running' } });
  }, viewOf(items));
  await view.waitForSelector('.change-set');
  await view.waitForSelector('.token-keyword');
  await view.screenshot({ path: join(folder, `conversation-${theme}.png`) });
  await view.keyboard.press('Control+f');
  await view.locator('.find input').fill('scanner');
  await view.waitForFunction(() => /\d of \d/.test(document.querySelector('.find-count').textContent));
  await view.screenshot({ path: join(folder, `find-${theme}.png`) });
  await view.keyboard.press('Escape');
  await view.locator('[data-turn=t1] .turn-actions button').last().focus();
  await close();
  const empty = await open({ theme, height: 700, state: { window: windowOf } });
  await empty.view.waitForSelector('.empty');
  await empty.view.screenshot({ path: join(folder, `empty-${theme}.png`) });
  await empty.close();
  console.log(theme, [...problems, ...empty.problems]);
}
