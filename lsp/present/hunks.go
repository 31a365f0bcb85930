package present

import (
	"sync"

	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/ide/ledger"
)

// news are the change sets that the ledger has reported and the window's view does not have
// yet. The ledger's watcher must not wait, so they are folded when the view is sent.
type news struct {
	mu   sync.Mutex
	open bool
	sets []reported // the newest state of each, in the order of their first
}

// reported is a change set that the ledger has reported.
type reported struct {
	cs        ledger.ChangeSet
	onlyMoved bool
}

// NoteChangeSet notes a change set that the ledger reports.
func (v *Views) NoteChangeSet(cs ledger.ChangeSet, rangesOnly bool) {
	if v.window.news.note(reported{cs, rangesOnly}) {
		v.c.Touch()
	}
}

func (n *news) note(r reported) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.open {
		return false
	}
	for i, o := range n.sets {
		if o.cs.ID == r.cs.ID {
			n.sets[i] = reported{r.cs, o.onlyMoved && r.onlyMoved}
			return true
		}
	}
	n.sets = append(n.sets, r)
	return true
}

// take removes and returns what is due, and reports whether something waits.
func (n *news) take(moves bool) (due []ledger.ChangeSet, waits bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	var later []reported
	for _, r := range n.sets {
		if r.onlyMoved && !moves {
			later = append(later, r)
		} else {
			due = append(due, r.cs)
		}
	}
	n.sets = later
	return due, len(later) > 0
}

func (n *news) begin() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.open = true
}

func (n *news) isOpen() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.open
}

func (n *news) end() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.open, n.sets = false, nil
}

// foldNews folds what the ledger has reported; what has only moved where it is due. It reports
// whether something waits. w.mu is held.
func (w *window) foldNews(moves bool) (waits bool) {
	due, waits := w.news.take(moves)
	for _, cs := range due {
		w.fold.PutChangeSet(cs)
	}
	return waits
}

// openHunks has the window's view have all hunks, where the client draws them from it. w.mu is
// held.
func (v *Views) openHunks() {
	if !v.c.Can.Changes || !v.c.Can.View {
		return
	}
	v.window.fold.ForgetHunks(view.Options{Encoding: v.c.Can.Encoding, Folders: v.c})
	v.window.news.begin() // what the ledger reports from now on follows
	if h := v.c.Host.Current(); h != nil {
		for _, cs := range h.Ledger.List("", "", "") {
			v.window.fold.PutChangeSet(cs)
		}
	}
}

// hunksNow returns how many changes of hunks there are by now. What is counted after it has them.
func (v *Views) hunksNow() int64 {
	v.window.mu.Lock()
	defer v.window.mu.Unlock()
	v.window.foldNews(false)
	return v.window.fold.Seq()
}

// newestHunk returns the number of the last change of the hunks of a session that wait.
func (v *Views) newestHunk(sessionID string) int64 {
	v.window.mu.Lock()
	defer v.window.mu.Unlock()
	return v.window.fold.Newest(sessionID)
}

// seen are, by the versions of a view, how many changes of hunks the user has seen: with
// Version and all later ones up to the next at least Seq.
type seen []struct{ version, seq int64 }

// note notes what the client has with a version.
func (s *seen) note(version, seq int64) {
	if n := len(*s); n == 0 || (*s)[n-1].seq != seq {
		*s = append(*s, struct{ version, seq int64 }{version, seq})
	}
	if n := len(*s); n > mostSeen {
		*s = append(seen{}, (*s)[n-mostSeen/2:]...)
	}
}

// mostSeen bounds the versions of which is known what the user has seen. With an older one
// nothing is decided.
const mostSeen = 1000

// at returns how many changes the user has seen with a version.
func (s seen) at(version int64) (seq int64) {
	for _, x := range s {
		if x.version > version {
			break
		}
		seq = x.seq
	}
	return seq
}
