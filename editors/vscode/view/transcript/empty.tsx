import { host } from '../bridge';
import { Icon } from '../icon';
import { ask, useStore } from '../state';
import { t, words } from '../strings';
import { suggestions } from './suggestions';

const run = (command: string): void => void host('command', { command }).catch(() => {});

/** What a conversation shows before it begins. */
export function Empty() {
  const context = useStore((state) => state.editorContext);
  const commands = /mac/i.test(navigator.platform) ? '⌘F' : 'Ctrl+F';
  return (
    <div class="empty">
      <Icon name="comment-discussion-sparkle" />
      <h2>{t('What do you want to do?')}</h2>
      <p>{t('Emendo sees what your editor sees. It answers questions, and proposes edits that you accept one by one.')}</p>
      <ul class="suggestions" aria-label={t('Suggestions')}>
        {suggestions(context).map(({ icon, label, prompt }) => (
          <li key={label}>
            <button type="button" onClick={() => ask({ type: 'compose', text: prompt, focus: true })}>
              <Icon name={icon} />
              <span>{label}</span>
            </button>
          </li>
        ))}
      </ul>
      <dl class="keys">
        {[
          ['@', t('add files, symbols, problems')],
          ['/', t('commands')],
          [commands, t(words.findKey)],
        ].map(([key, what]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

/** What stands in the way of using the view: no key, no trust, no server. */
export function Obstacles() {
  const status = useStore((state) => state.status);
  const trusted = useStore((state) => state.trusted);
  const server = useStore((state) => state.server);
  const folders = useStore((state) => state.folders);
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
                <button type="button" class="small-button" onClick={() => run('emendo.showLog')}>
                  {t('Show the log')}
                </button>
                <button type="button" class="small-button" onClick={() => run('emendo.doctor')}>
                  {t('Find out what is wrong')}
                </button>
              </div>
            )}
          </div>
        </div>
      )}
      {status?.kind === 'signed_out' && (
        <div class="notice notice-info obstacle" role="note">
          <Icon name="key" />
          <div>
            <strong>{t('Sign in to begin')}</strong> {t('A key of Google AI Studio is free to get. It is kept in the secret storage of your editor.')}
            <div class="remedies">
              <button type="button" class="primary-button" onClick={() => run('emendo.signIn')}>
                {t('Sign in')}
              </button>
              <button type="button" class="small-button" onClick={() => run('emendo.otherProviders')}>
                {t('Other providers')}
              </button>
            </div>
          </div>
        </div>
      )}
      {folders.length === 0 && (
        <div class="notice notice-info obstacle" role="note">
          <Icon name="folder" />
          <div>
            <strong>{t('No folder is open')}</strong> {t('Emendo answers about open files and text. To search, edit and run commands it needs a folder.')}
          </div>
        </div>
      )}
      {!trusted && (
        <div class="notice notice-warning obstacle" role="note">
          <Icon name="workspace-untrusted" />
          <div>
            <strong>{t('Restricted mode')}</strong> {t('Emendo reads files and proposes edits. It runs nothing until you trust this workspace.')}
            <div class="remedies">
              <button type="button" class="small-button" onClick={() => run('workbench.trust.manage')}>
                {t('Manage trust')}
              </button>
            </div>
          </div>
        </div>
      )}
    </>
  );
}
