import type { EditorContext } from '../../src/shared/messages';
import { t } from '../strings';

export interface Suggestion {
  icon: string;
  label: string;
  prompt: string;
}

/** Returns three things to ask, by what the editor shows. */
export function suggestions({ activeFile, selection, problems }: EditorContext): Suggestion[] {
  const offers: Suggestion[] = [];
  if (selection) {
    const text = selection.lines === 1 ? t('Explain the selected line') : t('Explain the {0} selected lines', selection.lines);
    offers.push({ icon: 'list-selection', label: text, prompt: t('Explain the selected code.') });
  }
  if (problems > 0) {
    const text = problems === 1 ? t('Fix the problem') : t('Fix the {0} problems', problems);
    offers.push({ icon: 'wrench', label: text, prompt: t('Fix the problems that the editor reports.') });
  }
  if (activeFile) {
    offers.push(
      { icon: 'book', label: t('Explain {0}', activeFile.label), prompt: t('What does {0} do, and how does it work?', activeFile.label) },
      { icon: 'beaker', label: t('Write tests for {0}', activeFile.label), prompt: t('Write tests for {0}.', activeFile.label) },
    );
  }
  offers.push(
    { icon: 'map', label: t('Explain this project'), prompt: t('Give me an overview of this project: what it does, how it is built, where to begin.') },
    { icon: 'search', label: t('Find a likely bug'), prompt: t('Find a likely bug in this project and explain it. Change nothing yet.') },
    { icon: 'git-commit', label: t('Review my changes'), prompt: t('Review my uncommitted changes.') },
  );
  return offers.slice(0, 3);
}
