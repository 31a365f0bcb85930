package lsp

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/internal/rpc"
	"github.com/emendo-dev/emendo/internal/visible"
)

// hunkArgs name a hunk, or a whole change set.
type hunkArgs struct {
	ChangeSetID string `json:"changeSetId,omitzero"`
	HunkID      string `json:"hunkId,omitzero"`
}

func (s *server) acceptCommand(_ context.Context, a hunkArgs) (rpc.Work, error) {
	return s.decideOn(a, ledger.Accept)
}

func (s *server) rejectCommand(_ context.Context, a hunkArgs) (rpc.Work, error) {
	return s.decideOn(a, ledger.Reject)
}

// decideOn decides what is named, or what is under the cursor as it is now.
func (s *server) decideOn(a hunkArgs, do ledger.Action) (rpc.Work, error) {
	if a.ChangeSetID == "" && a.HunkID != "" {
		return nil, rpc.Errorf(rpc.InvalidParams, "a hunk is named by its changeSetId and its hunkId")
	}
	if a.ChangeSetID != "" {
		return s.decideNamed(a, do)
	}
	f := s.focus.now()
	var ds []ledger.Decision
	for _, h := range s.pendingHunks(f.Active) {
		if f.Active != "" && len(f.Selections) > 0 && h.touches(f.Selections[0]) {
			ds = append(ds, h.decision(do))
		}
	}
	if len(ds) == 0 {
		return nil, unable("no proposed change is at the cursor: go to one with emendo.nextHunk")
	}
	return s.decide(decided{Hunks: len(ds), Files: 1}, ds, ""), nil
}

// decideNamed decides a hunk or a change set by its id.
func (s *server) decideNamed(a hunkArgs, do ledger.Action) (rpc.Work, error) {
	unknown := fmt.Errorf("change set %s: %w", a.ChangeSetID, ledger.ErrUnknown)
	h := s.host.now()
	if h == nil {
		return nil, unknown
	}
	cs, err := h.Ledger.Get(a.ChangeSetID)
	if err != nil {
		return nil, err
	}
	n := count(cs, func(h ledger.Hunk) bool { return a.HunkID == h.ID || a.HunkID == "" && h.State == ledger.Pending })
	if n.Hunks == 0 && a.HunkID == "" && do == ledger.Reject { // those that are accepted are undone
		n = count(cs, func(h ledger.Hunk) bool { return h.State == ledger.Accepted })
	}
	if n.Hunks == 0 && a.HunkID != "" {
		return nil, unknown
	}
	return s.decide(n, []ledger.Decision{{ChangeSetID: a.ChangeSetID, HunkID: a.HunkID, Action: do}}, ""), nil
}

// count counts the hunks of a change set for which is holds, and their files.
func count(cs ledger.ChangeSet, is func(ledger.Hunk) bool) (n decided) {
	for _, f := range cs.Files {
		before := n.Hunks
		for _, h := range f.Hunks {
			if is(h) {
				n.Hunks++
			}
		}
		if n.Hunks > before {
			n.Files++
		}
	}
	return n
}

type documentArgs struct {
	URI string `json:"uri,omitzero"`
}

func (s *server) acceptAllCommand(_ context.Context, a documentArgs) (rpc.Work, error) {
	return s.decideAll(a, ledger.Accept), nil
}

func (s *server) rejectAllCommand(_ context.Context, a documentArgs) (rpc.Work, error) {
	return s.decideAll(a, ledger.Reject), nil
}

// decideAll decides the pending hunks of a document, else those of the session
// that was last in use, as one group. Other sessions' are not touched: the user
// has not seen them.
func (s *server) decideAll(a documentArgs, do ledger.Action) rpc.Work {
	var u ide.URI
	session := ""
	if a.URI != "" {
		u = ide.ParseURI(a.URI)
	} else {
		session = s.current.get()
	}
	var n decided
	var ds []ledger.Decision
	files := map[string]bool{}
	for _, h := range s.pendingHunks(u) {
		if session == "" || h.set.SessionID == session {
			ds = append(ds, h.decision(do))
			files[h.uri()] = true
		}
	}
	n.Hunks, n.Files = len(ds), len(files)
	verb := "Accepted"
	if do == ledger.Reject {
		verb = "Rejected"
	}
	return s.decide(n, ds, fmt.Sprintf("%s %s in %s.", verb, counted(n.Hunks, "change"), counted(n.Files, "file")))
}

func counted(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

func (p pending) decision(do ledger.Action) ledger.Decision {
	return ledger.Decision{ChangeSetID: p.set.ID, HunkID: p.ID, Action: do}
}

// decided is the answer of a command: how much it decides.
type decided struct {
	Hunks int `json:"hunks"`
	Files int `json:"files"`
}

// decide answers a command at once and carries its decisions out behind those of
// earlier commands: some editors report no change of a document while they wait
// for an answer. What could not be done, and what is said at the end, is shown to
// clients that do not draw hunks.
func (s *server) decide(n decided, ds []ledger.Decision, said string) rpc.Work {
	if len(ds) > 0 {
		s.decisions.add(s, func() {
			r, err := s.resolve(s.life, ds, "")
			switch {
			case s.life.Err() != nil:
			case err != nil:
				s.tell(s.life, errorMessage, "emendo: "+visible.Text(err.Error()))
			case !s.can.marksHunks():
			case len(r.Conflicts) > 0:
				s.tell(s.life, warningMessage, fmt.Sprintf("emendo: %d of %d changes could not be made: %s", len(r.Conflicts), n.Hunks, visible.Text(r.Conflicts[0].Reason)))
			case said != "":
				s.tell(s.life, infoMessage, "emendo: "+said)
			}
		})
	}
	return answered(n)
}

// inOrder runs tasks in the background, one after the other.
type inOrder struct {
	mu      sync.Mutex
	tasks   []func()
	running bool
}

func (o *inOrder) add(s *server, f func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.tasks = append(o.tasks, f)
	if !o.running {
		o.running = s.spawn(func() { o.run(s) })
	}
}

func (o *inOrder) run(s *server) {
	for {
		o.mu.Lock()
		if len(o.tasks) == 0 {
			o.running = false
			o.mu.Unlock()
			return
		}
		f := o.tasks[0]
		o.tasks = o.tasks[1:]
		o.mu.Unlock()
		_ = s.contained(func() error { f(); return nil })
	}
}

type positionArgs struct {
	URI      string        `json:"uri"`
	Position *ide.Position `json:"position"`
}

// location is where a hunk is.
type location struct {
	URI   string    `json:"uri"`
	Range ide.Range `json:"range"`
}

func (s *server) nextHunkCommand(_ context.Context, a positionArgs) (rpc.Work, error) {
	return s.goFrom(a, func(hunks []location, from location) int {
		i := slices.IndexFunc(hunks, func(l location) bool { return l.compare(from) > 0 })
		return max(i, 0) // after the last comes the first
	}), nil
}

func (s *server) prevHunkCommand(_ context.Context, a positionArgs) (rpc.Work, error) {
	return s.goFrom(a, func(hunks []location, from location) int {
		for i, l := range slices.Backward(hunks) {
			if l.compare(from) < 0 {
				return i
			}
		}
		return len(hunks) - 1
	}), nil
}

// compare orders places by document and line: where in its line the cursor is
// does not take it past a hunk.
func (l location) compare(o location) int {
	return cmp.Or(cmp.Compare(l.URI, o.URI), cmp.Compare(l.Range.Start.Line, o.Range.Start.Line))
}

// goFrom finds a hunk from a place on, or from the focus, and has clients show
// it that do not themselves. It answers null when nothing waits.
func (s *server) goFrom(a positionArgs, pick func(hunks []location, from location) int) rpc.Work {
	f := s.focus.now()
	from := location{URI: a.URI}
	if a.URI == "" {
		from.URI = string(f.Active)
		if d := s.workspace.Snapshot().Document(f.Active); d != nil {
			from.URI = d.Spelling
		}
		if len(f.Selections) > 0 {
			from.Range = f.Selections[0]
		}
	}
	if a.Position != nil {
		from.Range.Start = *a.Position
	}
	var hunks []location
	for _, h := range s.pendingHunks("") {
		hunks = append(hunks, location{h.uri(), s.visibleRange(h)})
	}
	if len(hunks) == 0 {
		return answered(nil)
	}
	slices.SortStableFunc(hunks, location.compare)
	to := hunks[pick(hunks, from)]
	s.focus.seen(ide.ParseURI(to.URI), ide.Range{Start: to.Range.Start, End: to.Range.Start})
	return func(context.Context) (any, error) {
		if s.can.marksHunks() {
			s.show(to.URI, &to.Range)
		}
		return to, nil
	}
}

type showParams struct {
	URI       string     `json:"uri"`
	TakeFocus bool       `json:"takeFocus"`
	Selection *ide.Range `json:"selection,omitzero"`
}

// show opens a document because the user's own command asked for it. The command
// does not wait for that.
func (s *server) show(uri string, selection *ide.Range) {
	if !s.can.showDocument {
		return
	}
	s.spawn(func() {
		if err := s.conn.Call(s.life, "window/showDocument", showParams{uri, true, selection}, nil); err != nil {
			s.log.Debug("a document was not shown", "error", err)
		}
	})
}
