package lsp

import (
	"cmp"
	"context"
	"fmt"
	"slices"

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
		return s.decide([]ledger.Decision{{ChangeSetID: a.ChangeSetID, HunkID: a.HunkID, Action: do}}), nil
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
	return s.decide(ds), nil
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

// decideAll decides every pending hunk, or those of a document, as one group.
func (s *server) decideAll(a documentArgs, do ledger.Action) rpc.Work {
	var u ide.URI
	if a.URI != "" {
		u = ide.ParseURI(a.URI)
	}
	var ds []ledger.Decision
	for _, h := range s.pendingHunks(u) {
		ds = append(ds, h.decision(do))
	}
	if len(ds) == 0 {
		return answered(resolution{})
	}
	return s.decide(ds)
}

func (p pending) decision(do ledger.Action) ledger.Decision {
	return ledger.Decision{ChangeSetID: p.set.ID, HunkID: p.ID, Action: do}
}

// decide carries decisions out. A client that draws hunks itself sees from the
// answer what could not be done; others are told.
func (s *server) decide(ds []ledger.Decision) rpc.Work {
	return func(ctx context.Context) (any, error) {
		r, err := s.resolve(ctx, ds, "")
		if err == nil && len(r.Conflicts) > 0 && s.can.marksHunks() {
			s.tell(ctx, warningMessage, fmt.Sprintf("emendo: %d of %d changes could not be made: %s", len(r.Conflicts), len(ds), visible.Text(r.Conflicts[0].Reason)))
		}
		return r, err
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
