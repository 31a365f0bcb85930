package agent

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Fork makes a session that holds what another one does up to a turn, it
// included; with no turn named, everything but a turn that is running. Proposed
// changes stay with the session that they were proposed in.
func (a *Agent) Fork(ctx context.Context, id, turnID string) (*Session, error) {
	s := a.known(id)
	if s != nil {
		err := s.acquire(ctx) // so that no prompt of ours finds the log locked
		switch {
		case err == nil:
			defer s.release()
		case !errors.Is(err, ErrBusy):
			return nil, err
		}
		if err := s.flush(); err != nil {
			return nil, err
		}
	}
	f := fork{turnID: turnID, newID: a.o.NewID(), now: a.now()}
	outputs, copied := a.outputDir(id), a.outputDir(f.newID)
	if outputs != "" {
		f.moved = strings.NewReplacer(outputs+string(filepath.Separator), copied+string(filepath.Separator))
	}
	_, err := a.o.Store.fork(id, f)
	switch {
	case err == nil:
		if err := copyOutputs(copied, outputs); err != nil {
			a.log.Warn("what was cut out of a conversation is not there in its copy", "session", id, "copy", f.newID, "err", err)
		}
		return a.Session(ctx, f.newID)
	case turnID == "" && s != nil && (errors.Is(err, ErrUnknownSession) || errors.Is(err, errNothingSaid)):
		i := s.Info()
		if i.Mode.acts() && !s.Trusted() { // trusted when it was chosen, and no more
			i.Mode = Default
		}
		return a.Create(ctx, NewSession{Cwd: i.Cwd, Roots: i.Roots, Model: i.Model, Mode: i.Mode})
	}
	return nil, err
}

var errNothingSaid = errors.New("nothing was said in it yet")

// fork says what the copy of a session is.
type fork struct {
	turnID string // the last turn in it; empty: the last one there is
	newID  string
	now    time.Time // zero: when the session began
	cwd    string    // where it works; empty: where the session does

	moved *strings.Replacer // names the copies of files that the history names; nil: there are none
}

// fork stores the copy of a session and gives its id.
func (st *Store) fork(id string, f fork) (string, error) {
	path, err := st.find(id)
	if err != nil {
		return "", err
	}
	l := &log{path: path}
	rs, err := l.lock()
	running := errors.Is(err, ErrBusy)
	if running {
		rs, err = l.catchUp()
	}
	if err := errors.Join(err, l.close()); err != nil {
		return "", fmt.Errorf("forking session %s: %w", id, err)
	}
	if rs, err = upTo(surviving(rs), f.turnID, running); err != nil {
		return "", fmt.Errorf("forking session %s: %w", id, err)
	}
	begun := slices.IndexFunc(rs, func(r record) bool { _, ok := r.Event.(Started); return ok })
	if begun < 0 || !slices.ContainsFunc(rs, func(r record) bool { _, ok := r.Event.(UserChunk); return ok }) {
		return "", fmt.Errorf("forking session %s: %w", id, errNothingSaid)
	}
	start := rs[begun].Event.(Started)
	start.SessionID = f.newID
	if !f.now.IsZero() {
		start.CreatedAt = f.now
	}
	if f.cwd != "" {
		start.Cwd, start.Roots = f.cwd, []string{f.cwd}
		rs = slices.DeleteFunc(rs, func(r record) bool { // the model is told anew where it works
			g, ok := r.Event.(Given)
			return ok && (g.Kind == kindEnvironment || g.Kind == kindFolders)
		})
	}
	rs = copies(rs, start, f.moved)
	if err := st.save(start, append(rs, record{At: start.CreatedAt, Event: summaryOf(rs)})); err != nil {
		return "", fmt.Errorf("forking session %s: %w", id, err)
	}
	return f.newID, nil
}

// upTo gives the records up to the end of a turn; with none named, up to a turn
// that is running.
func upTo(rs []record, turnID string, running bool) ([]record, error) {
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
func copies(rs []record, start Started, moved *strings.Replacer) []record {
	out := []record{{At: start.CreatedAt, Event: start}}
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
func summaryOf(rs []record) Summary {
	var i SessionInfo
	for _, r := range rs {
		i.fold(r)
	}
	return i.summary()
}
