package transcript

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

var ErrNothingSaid = errors.New("nothing was said in it yet")

// ForkOptions describes the copy of a session.
type ForkOptions struct {
	TurnID string // the last turn in it; empty: the last one there is
	NewID  string
	Now    time.Time // zero: when the session began
	cwd    string    // where it works; empty: where the session does

	Moved *strings.Replacer // names the copies of files that the history names; nil: there are none
}

// Fork stores the copy of a session and gives its id.
func (st *Store) Fork(id string, f ForkOptions) (string, error) {
	path, err := st.Find(id)
	if err != nil {
		return "", err
	}
	l := &Log{path: path}
	rs, err := l.Lock()
	running := errors.Is(err, ErrBusy)
	if running {
		rs, err = l.CatchUp()
	}
	if err := errors.Join(err, l.Close()); err != nil {
		return "", fmt.Errorf("forking session %s: %w", id, err)
	}
	if rs, err = upTo(Surviving(rs), f.TurnID, running); err != nil {
		return "", fmt.Errorf("forking session %s: %w", id, err)
	}
	begun := slices.IndexFunc(rs, func(r Record) bool { _, ok := r.Event.(Started); return ok })
	if begun < 0 || !slices.ContainsFunc(rs, func(r Record) bool { _, ok := r.Event.(UserChunk); return ok }) {
		return "", fmt.Errorf("forking session %s: %w", id, ErrNothingSaid)
	}
	start := rs[begun].Event.(Started)
	start.SessionID = f.NewID
	if !f.Now.IsZero() {
		start.CreatedAt = f.Now
	}
	if f.cwd != "" {
		start.Cwd, start.Roots = f.cwd, []string{f.cwd}
		rs = slices.DeleteFunc(rs, func(r Record) bool { // the model is told anew where it works
			g, ok := r.Event.(Given)
			return ok && (g.Kind == KindEnvironment || g.Kind == KindFolders)
		})
	}
	rs = copies(rs, start, f.Moved)
	if err := st.save(start, append(rs, Record{At: start.CreatedAt, Event: summaryOf(rs)})); err != nil {
		return "", fmt.Errorf("forking session %s: %w", id, err)
	}
	return f.NewID, nil
}

// upTo gives the records up to the end of a turn; with none named, up to a turn
// that is running.
func upTo(rs []Record, turnID string, running bool) ([]Record, error) {
	first, last, over := -1, -1, false // of the turn that is named, or of the last one
	for i, r := range rs {
		if r.Turn == "" || turnID != "" && r.Turn != turnID {
			continue
		}
		if first < 0 || rs[first].Turn != r.Turn {
			first, over = i, false
		}
		last = i
		if _, ok := r.Event.(TurnEnded); ok {
			over = true
		}
	}
	switch {
	case turnID == "" && (!running || over):
		return rs, nil
	case turnID == "":
		return rs[:max(first, 0)], nil
	case last < 0:
		return nil, fmt.Errorf("%q: %w", turnID, ErrUnknownTurn)
	case running && !over:
		return nil, ErrBusy
	}
	return rs[:last+1], nil
}

// copies are records for another session that begins with start.
func copies(rs []Record, start Started, moved *strings.Replacer) []Record {
	out := []Record{{At: start.CreatedAt, Event: start}}
	var seq int64
	for _, r := range rs {
		switch e := r.Event.(type) { //nolint:gochecksumtype // the other events are the same in the copy
		case nil, Started, Proposals, Decisions, Summary, Queued, Unqueued:
			continue
		case ToolUpdate:
			e.ChangeSetID, e.Told = "", ""
			r.Event = e.moved(moved)
		case Shortened:
			r.Event = e.moved(moved)
		}
		if r.Seq > 0 { // what a rewind took out left gaps
			seq++
			r.Seq = seq
		}
		out = append(out, r)
	}
	return out
}

// summaryOf is the summary of a log with these records.
func summaryOf(rs []Record) Summary {
	var i SessionInfo
	for _, r := range rs {
		i.Fold(r)
	}
	return i.ToSummary()
}

// moved is the update with the names that files have now.
func (u ToolUpdate) moved(names *strings.Replacer) ToolUpdate {
	if names != nil {
		u.Output, u.Display = names.Replace(u.Output), names.Replace(u.Display)
	}
	return u
}

// moved is the same with the names that files have now.
func (e Shortened) moved(names *strings.Replacer) Shortened {
	if names == nil {
		return e
	}
	e.Summary, e.Cuts = names.Replace(e.Summary), slices.Clone(e.Cuts)
	for i := range e.Cuts {
		e.Cuts[i].Output = names.Replace(e.Cuts[i].Output)
	}
	return e
}

// Adopt stores a copy of a session that works in another folder, an absolute
// path with links resolved: for a session whose own folder is gone.
func (st *Store) Adopt(id, cwd string) (SessionInfo, error) {
	copied, err := st.Fork(id, ForkOptions{NewID: RandomID(), cwd: cwd})
	if err != nil {
		return SessionInfo{}, err
	}
	info, _, err := st.Read(copied)
	return info, err
}
