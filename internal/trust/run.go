package trust

import "sync"

// Run adds approvals for the current process, given on the command line, to the
// stored ones. It stores nothing.
type Run struct {
	store *Store

	mu       sync.Mutex
	approved map[runKey]bool
}

type runKey struct {
	folder string // as the caller named it
	kind   Kind
	sum    string
}

// ForRun returns approvals for this process.
func (s *Store) ForRun() *Run { return &Run{store: s, approved: map[runKey]bool{}} }

// Approved is [Store.Approved] with the approvals of the run.
func (r *Run) Approved(dir string, e Entry) (Look, error) {
	look, err := r.store.Approved(dir, e)
	if err != nil {
		return look, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.approved[runKey{dir, e.Kind, look.Sum}] {
		look.State = Approved
	}
	return look, nil
}

// Approve approves the entries, in the version that was looked at, for this
// process.
func (r *Run) Approve(dir string, seen ...Look) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, l := range seen {
		r.approved[runKey{dir, l.Kind, l.Sum}] = true
	}
	return nil
}
