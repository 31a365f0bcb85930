package transcript

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// ErrNothingSaid means that a session has no prompt yet.
var ErrNothingSaid = errors.New("the session has no prompt yet")

// ForkOptions describes the copy of a session.
type ForkOptions struct {
	TurnID string // the last turn to copy; empty copies all
	NewID  string
	Now    time.Time // start of the copy; zero means that of the session
	cwd    string    // folder of the copy; empty means that of the session

	Moved *strings.Replacer // replaces paths in the history by those of copied files; may be nil
}

// Fork stores a copy of a session and returns its ID.
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
		return "", fmt.Errorf("fork session %s: %w", id, err)
	}
	if rs, err = throughTurn(Surviving(rs), f.TurnID, running); err != nil {
		return "", fmt.Errorf("fork session %s: %w", id, err)
	}
	begun := slices.IndexFunc(rs, func(r Record) bool { _, ok := r.Event.(Started); return ok })
	if begun < 0 || !slices.ContainsFunc(rs, func(r Record) bool { _, ok := r.Event.(UserChunk); return ok }) {
		return "", fmt.Errorf("fork session %s: %w", id, ErrNothingSaid)
	}
	start := rs[begun].Event.(Started)
	start.SessionID = f.NewID
	if !f.Now.IsZero() {
		start.CreatedAt = f.Now
	}
	if h := NewHistory(); !start.ImportedAt.IsZero() {
		for _, r := range rs {
			h.Add(r.Event)
		}
		if h.outside.imported == notImported { // it was continued here
			start.ImportedAt = time.Time{}
		}
	}
	if f.cwd != "" {
		start.Cwd, start.Roots = f.cwd, []string{f.cwd}
		rs = slices.DeleteFunc(rs, func(r Record) bool { // the copy describes its own folder
			g, ok := r.Event.(Given)
			return ok && (g.Kind == KindEnvironment || g.Kind == KindFolders)
		})
	}
	rs = copies(rs, start, cmp.Or(f.Moved, strings.NewReplacer()))
	info := infoOf(rs)
	if err := st.save(start, append(rs, Record{At: start.CreatedAt, Event: info.ToSummary()})); err != nil {
		return "", fmt.Errorf("fork session %s: %w", id, err)
	}
	return f.NewID, nil
}

// throughTurn returns the records up to the end of a turn; if turnID is empty, all records
// before a running turn.
func throughTurn(rs []Record, turnID string, running bool) ([]Record, error) {
	first, last, over := -1, -1, false // of the turn with turnID, or of the last one
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

// copies returns the records for a copy that begins with start and has copied files at their new
// paths.
func copies(rs []Record, start Started, moved *strings.Replacer) []Record {
	out := []Record{{At: start.CreatedAt, Event: start}}
	var seq int64
	for _, r := range rs {
		if r.Event == nil || hasTrait(r.Event, own) {
			continue
		}
		switch e := r.Event.(type) { //nolint:gochecksumtype // the other events are copied unchanged
		case ToolUpdate:
			e.ChangeSetID, e.Told = "", ""
			e.Output, e.Display = moved.Replace(e.Output), moved.Replace(e.Display)
			r.Event = e
		case Shortened:
			e.Summary, e.Cuts = moved.Replace(e.Summary), slices.Clone(e.Cuts)
			for i := range e.Cuts {
				e.Cuts[i].Output = moved.Replace(e.Cuts[i].Output)
			}
			r.Event = e
		}
		if r.Seq > 0 { // rewinds leave gaps
			seq++
			r.Seq = seq
		}
		out = append(out, r)
	}
	return out
}

// Adopt stores a copy of a session in another folder, for a session whose own folder
// is gone. cwd is absolute with links resolved.
func (st *Store) Adopt(id, cwd string) (SessionInfo, error) {
	copied, err := st.Fork(id, ForkOptions{NewID: RandomID(), cwd: cwd})
	if err != nil {
		return SessionInfo{}, err
	}
	info, _, err := st.Read(copied)
	return info, err
}
