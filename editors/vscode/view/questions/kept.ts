import { keep, kept } from '../bridge';
import { getState, setState } from '../state/store';
import { withDraft, type Draft, type Drafts } from './drafts';

setState({ answers: (kept().answers as Drafts | undefined) ?? {} });

/** Keeps a draft, also when the page is loaded again; without one forgets it. */
export function setDraft(key: string, draft: Draft | undefined): void {
  const answers = withDraft(getState().answers, key, draft);
  keep({ ...kept(), answers });
  setState({ answers });
}
