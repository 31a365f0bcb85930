import { useEffect, useRef, useState } from 'preact/hooks';
import type { SessionInfo } from '../../src/shared/wire';
import { listen, server } from '../bridge';
import { emptyList, withPage, withSession, without, type List } from './list';

const pageSize = 50;

export interface Wanted {
  query: string;
  /** The folder whose sessions are listed; those of all without. */
  cwd: string | undefined;
}

export interface Loaded {
  list: List;
  /** Whether the first page, or the next one, is on its way. */
  loading: boolean;
  error: string | undefined;
  more: () => void;
  remove: (sessionId: string) => void;
  refuse: (error: unknown) => void;
}

/** The stored sessions, kept up to date while they are shown. */
export function useSessions(wanted: Wanted): Loaded {
  const [list, setList] = useState<List>(emptyList);
  const [loading, setLoading] = useState(true);
  const [error, setError] = useState<string>();
  const asked = useRef(0);
  const { query, cwd } = wanted;

  const refuse = (error: unknown): void => setError(error instanceof Error ? error.message : String(error));
  /** Asks for a page; an answer that something else was asked after is dropped. */
  const ask = (before: List, cursor?: string): void => {
    const number = ++asked.current;
    setLoading(true);
    setError(undefined);
    server<List>('emendo/session/list', { limit: pageSize, ...(query === '' ? {} : { query }), ...(cwd === undefined ? {} : { cwd }), ...(cursor === undefined ? {} : { cursor }) })
      .then((page) => number === asked.current && setList(withPage(before, page)))
      .catch((error: unknown) => number === asked.current && refuse(error))
      .finally(() => number === asked.current && setLoading(false));
  };
  useEffect(() => ask(emptyList), [query, cwd]);
  useEffect(
    () =>
      listen((message) => {
        if (message.type === 'notification' && message.method === 'emendo/sessions/didChange') {
          const { session } = message.params as { session: SessionInfo };
          const belongs = query === '' && (cwd === undefined || session.cwd === cwd);
          setList((list) => withSession(list, session, belongs));
        }
      }),
    [query, cwd],
  );
  return {
    list,
    loading,
    error,
    more: () => list.nextCursor !== undefined && !loading && ask(list, list.nextCursor),
    remove: (sessionId) => setList((list) => without(list, sessionId)),
    refuse,
  };
}
