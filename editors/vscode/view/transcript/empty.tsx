import { ordered } from '../../src/shared/fold';
import { host } from '../bridge';
import { text } from '../format/text';
import { Icon } from '../icon';
import { act, useStore } from '../state';
import { t, words } from '../strings';
import { Notice } from './notice';

const icons: Record<string, string> = {
  selection: 'list-selection',
  problems: 'wrench',
  explain: 'book',
  tests: 'beaker',
  project: 'map',
  bug: 'search',
  changes: 'git-commit',
};

/** What a conversation shows before it begins. */
export function Empty() {
  const welcome = useStore(({ window }) => window.items.get('welcome'));
  const { title, parts = [], lines = [] } = welcome ?? {};
  const find = /mac/i.test(navigator.platform) ? '⌘F' : 'Ctrl+F';
  return (
    <div class="empty">
      <Icon name="comment-discussion-sparkle" />
      {title && <h2>{text(title)}</h2>}
      <p>{parts.map(({ text }) => text).join(' ')}</p>
      <ul class="suggestions" aria-label={t('Suggestions')}>
        {lines.map(({ action, look = '', text: label }) => typeof action === 'object' && (
          <li key={action.id}>
            <button type="button" onClick={() => void act('welcome', action.id)}>
              <Icon name={icons[look] ?? 'comment'} />
              <span>{text(label)}</span>
            </button>
          </li>
        ))}
      </ul>
      <dl class="keys">
        {[
          ['@', t(words.addKey)],
          ['/', t(words.commandsKey)],
          [find, t(words.findKey)],
        ].map(([key, what]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
        {lines.map(({ label, text: seen, look }, index) => label && (
          <div key={index} class={look === 'warning' ? 'problem' : ''}>
            <dt>{text(label)}</dt>
            <dd>{text(seen)}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

/** What stands in the way of using the view: no server, or what the server says. */
export function Obstacles() {
  const server = useStore((state) => state.server);
  const window = useStore((state) => state.window);
  const notices = [...ordered(window)].filter(({ id }) => id.startsWith('obstacle/'));
  return (
    <>
      {(server.state === 'failed' || server.state === 'unsupported') && (
        <div class="notice notice-error obstacle" role="alert">
          <Icon name="error" />
          <div>
            {server.message}
            {server.state === 'failed' && (
              <div class="remedies">
                <button type="button" class="primary-button" onClick={() => void host('restart', {}).catch(() => {})}>
                  {t(words.startServer)}
                </button>
                <button type="button" class="small-button" onClick={() => void host('client', { client: 'log' }).catch(() => {})}>
                  {t(words.showLog)}
                </button>
                <button type="button" class="small-button" onClick={() => void host('client', { client: 'doctor' }).catch(() => {})}>
                  {t('Doctor')}
                </button>
              </div>
            )}
          </div>
        </div>
      )}
      {notices.map((item) => (
        <Notice key={item.id} item={item} />
      ))}
    </>
  );
}
