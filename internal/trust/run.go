package trust

import "sync"

// Run are approvals that hold as long as the process: on top of what is stored,
// those that its user gave with the command line. It stores nothing.
type Run struct {
	store *Store

	mu       sync.Mutex
	approved map[runKey]bool
}

type runKey struct {
	folder string // as it was given
	kind   Kind
	sum    string
}

// ForRun gives approvals for this process.
func (s *Store) ForRun() *Run { return &Run{store: s, approved: map[runKey]bool{}} }

// Approved is [Store.Approved].
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

// Approve lets the entries be started, as they were when they were looked at.
func (r *Run) Approve(dir string, seen ...Look) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, l := range seen {
		r.approved[runKey{dir, l.Kind, l.Sum}] = true
	}
	return nil
}
