import type { Action, Question } from './shared/view';

/**
 * The options that may be chosen without seeing the whole question: one that
 * allows and one that rejects, for this once, of a question that one line says
 * in full; those of a question that is a text with buttons.
 */
export function onceOptions({ code, whole, options, parts }: Question): Action[] {
  if (code === 'pick' && parts.length === 0) {
    return options.filter(({ look }) => look === 'pick');
  }
  const once = ['allow_once', 'reject_once'].map((look) => options.find((option) => option.look === look));
  return whole ? once.filter((option) => option !== undefined) : [];
}

/** A question in one line. What the model wrote comes last, so that it cannot pass for the reason. */
export function sentence(question: Question): string {
  const { from, brief, whole, lines } = question;
  const why = whole ? lines.find(({ id }) => id === 'reason')?.text.text.replace(/\s+/g, ' ') : undefined;
  return [from && `${from.text}.`, why, brief.text].filter((part) => part !== undefined).join(' ');
}
