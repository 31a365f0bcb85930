import { useRef, useState } from 'preact/hooks';
import type { AskedQuestion } from '../../src/shared/messages';
import type { PermissionOption, PermissionRequest } from '../../src/shared/wire';
import { visible, visibleLine } from '../../src/shared/visible';
import { host } from '../bridge';
import { Markdown } from '../markdown/markdown';
import { answer } from '../state';
import { t } from '../strings';
import { Answer, Card, type Around } from './card';
import { keyOf, ownerOf } from './drafts';
import { getDrafts, setDraft } from './kept';
import { Preview } from './previews';

type Asked = Extract<AskedQuestion, { kind: 'permission' }>;

const icons = { allow_once: 'check', allow_always: 'check-all', reject_once: 'close', reject_always: 'circle-slash' } as const;

/** A call that needs the user's permission. */
export function Permission({ asked }: { asked: Asked }) {
  const { request } = asked;
  const { options } = request;
  const key = keyOf(asked);
  const plan = request.preview?.planUri !== undefined;
  const [feedback, setFeedback] = useState(getDrafts()[key]?.feedback ?? '');
  const [writes, setWrites] = useState(plan || feedback !== '');
  const field = useRef<HTMLTextAreaElement>(null);
  const reject = request.preview?.waits === undefined ? options.find(({ kind }) => kind === 'reject_once') : undefined; // to cancel needs no reason
  const title = titleOf(request);

  const write = (text: string): void => {
    setFeedback(text);
    setDraft(key, text === '' ? undefined : { ...ownerOf(asked), asked: `${title} ${visibleLine(request.preview?.command ?? '')}`.trim(), entries: [], feedback: text });
  };
  const choose = (option: PermissionOption): void => {
    const says = option.kind.startsWith('reject') && feedback.trim() !== '';
    if (says) {
      setDraft(key, undefined); // it is on its way; what is not sent stays
    }
    answer(asked.question, { outcome: 'selected', optionId: option.optionId, ...(says ? { feedback } : {}) });
  };
  const giveReason = (): void => {
    setWrites(true);
    requestAnimationFrame(() => field.current?.focus());
  };

  const answers = ({ answer }: Around) => (
    <>
      {reject && writes && (
        <textarea
          ref={field}
          class="question-field"
          rows={2}
          aria-label={plan ? t('What to change in the plan') : t('Why not, and what to do instead')}
          placeholder={plan ? t('What to change in the plan; Enter keeps planning') : t('Why not, and what to do instead; Enter rejects')}
          value={feedback}
          onInput={(event) => write(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && !event.shiftKey && !event.isComposing && !event.repeat) {
              event.preventDefault();
              if (feedback.trim() !== '') {
                choose(reject);
              }
            }
          }}
        />
      )}
      {options.map((option, index) => (
        <Answer
          key={option.optionId}
          number={index + 1}
          icon={icons[option.kind]}
          {...labels(option, plan)}
          onClick={() => answer(() => choose(option))}
        />
      ))}
      {reject && !writes && <Answer icon="comment" label={t('No, and say why…')} number={options.length + 1} onClick={giveReason} />}
    </>
  );
  return (
    <Card
      id={String(asked.question)}
      icon={plan ? 'checklist' : 'shield'}
      title={title}
      aside={asked.aside}
      keys={[...options.map((option) => () => choose(option)), ...(reject && !writes ? [giveReason] : [])]}
      answers={answers}
    >
      {plan && <Plan asked={asked} />}
      <Preview request={request} why={<Why request={request} />} />
    </Card>
  );
}

/** What an option is called. A plan's answers have short names beside the server's. */
function labels({ kind, name }: PermissionOption, plan: boolean): { label: string; detail?: string } {
  if (!plan) {
    return { label: visibleLine(name) };
  }
  switch (kind) {
    case 'allow_once':
      return { label: t('Approve'), detail: visibleLine(name) };
    case 'allow_always':
      return { label: t('Approve and apply edits'), detail: visibleLine(name) };
    case 'reject_once':
      return { label: t('Keep planning'), detail: visibleLine(name) };
    case 'reject_always':
      return { label: visibleLine(name) };
  }
}

function titleOf({ preview = {}, toolCall }: PermissionRequest): string {
  if (preview.waits !== undefined) {
    return t('Go on before you decide on the edits?');
  }
  if (preview.command !== undefined) {
    return t('Run this command?');
  }
  if (preview.skill !== undefined) {
    return t('Use the skill {0}?', visibleLine(preview.skill));
  }
  if (preview.paths) {
    return preview.paths.length === 1 ? t('Read this file?') : t('Read these files?');
  }
  if (preview.text !== undefined) {
    return preview.urls ? t('Send this task to the remote agent?') : t('Allow a remote agent to do this?');
  }
  if (preview.urls) {
    return preview.urls.length === 1 ? t('Reach this address?') : t('Reach these addresses?');
  }
  if (preview.serverName !== undefined && preview.toolName === 'sampling/createMessage') {
    return t('Let the MCP server {0} ask the model?', visibleLine(preview.serverName));
  }
  if (preview.serverName !== undefined) {
    return t('Use the tool {0} of the MCP server {1}?', visibleLine(preview.toolName ?? ''), visibleLine(preview.serverName));
  }
  if (preview.executable) {
    const name = visibleLine(preview.executable.name);
    switch (preview.executable.kind) {
      case 'hook':
        return t('Start the hook {0} of this folder?', name);
      case 'mcp':
        return t('Start the MCP server {0} of this folder?', name);
      case 'discovery':
        return t('Start the tool discovery {0} of this folder?', name);
    }
  }
  if (preview.planUri !== undefined) {
    return t('Carry out this plan?');
  }
  return preview.changeSetId === undefined ? t('Allow {0}?', visibleLine(toolCall.title ?? t('this'))) : t('Change these files?');
}

/** Why the question is asked. */
function Why({ request }: { request: PermissionRequest }) {
  const { reason, rule } = request.toolCall._meta?.emendo ?? {};
  return (
    <>
      {reason && <p class="question-text">{visible(reason)}</p>}
      {rule && <p class="question-small">{t('Rule: {0}', visibleLine(rule))}</p>}
    </>
  );
}

function Plan({ asked }: { asked: Asked }) {
  return (
    <>
      {asked.plan !== undefined && (
        <div class="question-plan" tabIndex={0} role="region" aria-label={t('Plan')}>
          <Markdown text={asked.plan} />
        </div>
      )}
      <button type="button" class="question-link" onClick={() => void host('openPlan', { question: asked.question })}>
        {t('Open the plan')}
      </button>
    </>
  );
}
