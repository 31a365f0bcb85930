package transcript

import "fmt"

// List gives the stored sessions, the most recently used first, and a cursor
// when there are more.
func (st *Store) List(q Listing) ([]SessionInfo, string, error) { return st.list(q) }

// Read gives a stored session and what was shown of it, the chunks of one
// message merged. The session's folders need not exist any more.
func (st *Store) Read(id string) (SessionInfo, []Update, error) {
	path, err := st.Find(id)
	if err != nil {
		return SessionInfo{}, nil, err
	}
	rs, err := (&Log{path: path}).CatchUp()
	if err != nil {
		return SessionInfo{}, nil, err
	}
	var info SessionInfo
	for _, r := range Surviving(rs) {
		if r.Event != nil {
			info.Fold(r)
		}
	}
	if info.ID != id {
		return SessionInfo{}, nil, fmt.Errorf("reading session %s: %s does not begin as its log: %w", id, path, ErrUnknownSession)
	}
	updates, _ := UpdatesOf(id, rs, 0)
	return info, updates, nil
}

// Delete removes a stored session. One whose turn runs, in whatever process, is
// busy.
func (st *Store) Delete(id string) error {
	path, err := st.Find(id)
	if err != nil {
		return err
	}
	l := &Log{path: path}
	if _, err := l.Lock(); err != nil {
		_ = l.Close() // nothing was written
		return err
	}
	if err := l.Close(); err != nil { // which lets go of the lock
		return fmt.Errorf("deleting session %s: %w", id, err)
	}
	return st.delete(id)
}
