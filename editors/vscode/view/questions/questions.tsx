import { useEffect, useRef, useState } from 'preact/hooks';
import type { Question as Asked } from '../../src/shared/view';
import { host } from '../bridge';
import { Icon } from '../icon';
import { ask, isOfList, onAsk, same, sessionQuestions, show, showScreen, useStore } from '../state';
import { t, words } from '../strings';
import { focusCard } from './card';
import { leftOver, typed, type Draft } from './drafts';
import { setDraft } from './kept';
import { Question } from './question';

/** The open questions of the session that is shown, between the conversation and the prompt. */
export function Questions() {
  const questions = useStore(sessionQuestions, same);
  const sessionId = useStore((state) => state.sessionId);
  const left = leftOver(useStore((state) => state.answers), sessionId, new Set(questions.map(({ id }) => id)));
  useEffect(
    () =>
      onAsk((request) => {
        if (request.type !== 'do' || request.what !== 'focusQuestion') {
          return false;
        }
        showScreen('chat');
        requestAnimationFrame(() => focusCard());
        return true;
      }),
    [],
  );
  return (
    <div class="questions" role="region" aria-label={t('Questions')}>
      <Announcer questions={questions} />
      {questions.map((question) => (
        <Question key={question.id} question={question} />
      ))}
      {left.map(([key, draft]) => (
        <LeftOver key={key} draft={draft} discard={() => setDraft(key, undefined)} />
      ))}
      <Elsewhere />
    </div>
  );
}

/** Tells screen readers of a question that comes. It is in the page before it has something to say. */
function Announcer({ questions }: { questions: readonly Asked[] }) {
  const [text, setText] = useState('');
  const known = useRef<ReadonlySet<string>>(new Set());
  useEffect(() => {
    const before = known.current;
    known.current = new Set(questions.map(({ id }) => id));
    if (questions.some(({ id }) => !before.has(id))) {
      setText(questions.length === 1 ? t(words.waits) : t(words.waitsForSeveral, questions.length));
    } else if (questions.length === 0) {
      setText('');
    }
  }, [questions]);
  return (
    <div class="question-announcer" role="status">
      {text}
    </div>
  );
}

/** What the user had typed for a question that is closed. */
function LeftOver({ draft, discard }: { draft: Draft; discard: () => void }) {
  const text = typed(draft);
  return (
    <section class="question question-left" role="group" aria-label={t(words.notSent)} tabIndex={0}>
      <p class="question-text">{t(words.closedQuestion, draft.asked)}</p>
      <p class="question-small">{t(words.typedText)}</p>
      <pre class="question-code">{text}</pre>
      <div class="question-answers">
        <button type="button" class="question-answer" onClick={() => void host('copy', { text })}>
          {t('Copy')}
        </button>
        <button
          type="button"
          class="question-answer"
          onClick={() => {
            ask({ type: 'compose', text, focus: true });
            discard();
          }}
        >
          {t(words.intoPrompt)}
        </button>
        <button type="button" class="question-answer" onClick={discard}>
          {t('Discard')}
        </button>
      </div>
    </section>
  );
}

/** Says that other sessions wait for answers. */
function Elsewhere() {
  const others = useStore(
    ({ window: { questions }, sessionId }) => [...new Set(questions.flatMap((question) => (question.from || isOfList(question) || question.sessionId === sessionId ? [] : (question.sessionId ?? []))))],
    same,
  );
  const [first] = others;
  if (first === undefined) {
    return null;
  }
  return (
    <p class="question-elsewhere">
      <Icon name="bell-dot" />
      <span>{others.length === 1 ? t(words.elsewhere) : t(words.elsewheres, others.length)}</span>{' '}
      <button type="button" class="question-link" onClick={() => (others.length === 1 ? show(first) : showScreen('sessions'))}>
        {t('Show')}
      </button>
    </p>
  );
}
