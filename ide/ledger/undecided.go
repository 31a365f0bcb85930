package ledger

import "github.com/emendo-dev/emendo/ide"

// Undecided returns the hunks on which the user has not decided, pending or applied, in their
// change sets and files, in the order of their proposal. The empty URI matches all documents.
// What else the change sets have is left out.
func (l *Ledger) Undecided(uri ide.URI) (sets []ChangeSet) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range l.sets {
		var files []FileChange
		for _, f := range s.files {
			if uri != "" && !f.isDocument(uri) {
				continue
			}
			var hunks []Hunk
			for _, h := range f.hunks {
				if !h.settled() {
					hunks = append(hunks, h.value(l.encoding, false))
				}
			}
			if len(hunks) > 0 {
				c := f.value()
				c.Hunks = hunks
				files = append(files, c)
			}
		}
		if len(files) > 0 {
			cs := s.head()
			cs.Files = files
			sets = append(sets, cs)
		}
	}
	return sets
}
