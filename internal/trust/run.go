package trust

import "sync"

// ForRun returns the store with approvals that are given on the command line: they
// count beside the stored ones, for this process, and are not stored.
func (s *Store) ForRun() *Store { return &Store{s.dir, &sync.Map{}} }

// forRun identifies an approval for this process. dir is the folder as the caller named it.
func forRun(dir string, l Look) Approval {
	return Approval{Folder: Folder{Path: dir}, Kind: l.Kind, Sum: l.Sum}
}

// approveForRun approves entries, in the version that was looked at, for this process.
func (s *Store) approveForRun(dir string, seen []Look) {
	for _, l := range seen {
		s.run.Store(forRun(dir, l), true)
	}
}

// approvedForRun reports whether that was done for an entry.
func (s *Store) approvedForRun(dir string, l Look) (was bool) {
	if s.run != nil {
		_, was = s.run.Load(forRun(dir, l))
	}
	return was
}
