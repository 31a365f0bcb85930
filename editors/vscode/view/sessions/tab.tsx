import { useEffect } from 'preact/hooks';
import { post } from '../bridge';
import { useStore } from '../state';
import { t, words } from '../strings';
import { titleOf } from './row';

/** Names the editor's tab that the view is in after the session that it shows. */
export function TabTitle() {
  const title = useStore(({ place, view: { session } }) => (place === 'editor' ? (session ? titleOf(session) : t(words.newSession)) : undefined));
  useEffect(() => {
    if (title !== undefined) {
      post({ type: 'title', title });
    }
  }, [title]);
  return null;
}
