package review

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/internal/rpc"
	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/lsp/client"
)

// Decide carries out an action on the hunk or change set that is named, or on the hunks at
// the cursor.
func (v *Review) Decide(a client.HunkArgs, do ledger.Action) (rpc.Work, error) {
	if a.ChangeSetID == "" && a.HunkID != "" {
		return nil, client.Invalid("invalid params: hunkId needs a changeSetId")
	}
	if a.ChangeSetID != "" {
		return v.decideNamed(a, do)
	}
	f := v.c.Focus.Current()
	var ds []ledger.Decision
	if f.Active != "" && len(f.Selections) > 0 {
		for _, h := range touched(v.pending(f.Active), f.Selections[0]) {
			ds = append(ds, h.decision(do))
		}
	}
	if len(ds) == 0 {
		return nil, client.Unable("no proposed change at the cursor: go to one with emendo.nextHunk")
	}
	return v.decide(decided{Hunks: len(ds), Files: 1}, ds, ""), nil
}

// decideNamed decides a hunk or a change set by its ID.
func (v *Review) decideNamed(a client.HunkArgs, do ledger.Action) (rpc.Work, error) {
	unknown := fmt.Errorf("change set %s: %w", a.ChangeSetID, ledger.ErrUnknown)
	h := v.c.Host.Current()
	if h == nil {
		return nil, unknown
	}
	cs, err := h.Ledger.Get(a.ChangeSetID)
	if err != nil {
		return nil, err
	}
	n := count(cs, func(h ledger.Hunk) bool { return a.HunkID == h.ID || a.HunkID == "" && h.State.Waits() })
	if n.Hunks == 0 && a.HunkID == "" && do == ledger.Reject { // accepted ones are undone
		n = count(cs, func(h ledger.Hunk) bool { return h.State.Applied() })
	}
	if n.Hunks == 0 && a.HunkID != "" {
		return nil, unknown
	}
	return v.decide(n, []ledger.Decision{{ChangeSetID: a.ChangeSetID, HunkID: a.HunkID, Action: do}}, ""), nil
}

// count counts the hunks of a change set that match, and their files.
func count(cs ledger.ChangeSet, match func(ledger.Hunk) bool) (n decided) {
	for _, f := range cs.Files {
		before := n.Hunks
		for _, h := range f.Hunks {
			if match(h) {
				n.Hunks++
			}
		}
		if n.Hunks > before {
			n.Files++
		}
	}
	return n
}

// DocumentArgs name a document.
type DocumentArgs struct {
	URI string `json:"uri,omitzero"`
}

// DecideAll carries out an action on the pending hunks of a document, or on those of the
// current session, as one group. It leaves those of other sessions, which the user has
// not seen.
func (v *Review) DecideAll(a DocumentArgs, do ledger.Action) (rpc.Work, error) {
	var u ide.URI
	session := ""
	if a.URI != "" {
		u = ide.ParseURI(a.URI)
	} else {
		session = v.current.ID()
	}
	var n decided
	var ds []ledger.Decision
	files := map[string]bool{}
	for _, h := range v.pending(u) {
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
	return v.decide(n, ds, fmt.Sprintf("%s %s in %s.", verb, client.Count(n.Hunks, "change"), client.Count(n.Files, "file"))), nil
}

func (p pending) decision(do ledger.Action) ledger.Decision {
	return ledger.Decision{ChangeSetID: p.set.ID, HunkID: p.ID, Action: do}
}

// decided answers a command with how much it decides.
type decided struct {
	Hunks int `json:"hunks"`
	Files int `json:"files"`
}

// decide answers a command at once and carries out its decisions after those of
// earlier commands: some editors report no change of a document while they wait
// for an answer. Clients that do not draw hunks are shown conflicts, or else the
// summary.
func (v *Review) decide(n decided, ds []ledger.Decision, summary string) rpc.Work {
	if len(ds) == 0 {
		return client.Answered(n)
	}
	before, done := v.last, make(chan struct{})
	v.last = done
	v.c.Go(func() {
		defer close(done)
		if before != nil {
			<-before
		}
		r, err := v.resolve(v.c.Life(), ds, "")
		switch {
		case v.c.Life().Err() != nil:
		case err != nil:
			v.c.Error(v.c.Life(), "emendo: "+visible.Text(err.Error()))
		case !v.c.Can.MarksHunks():
		case len(r.Conflicts) > 0:
			v.c.Warn(v.c.Life(), fmt.Sprintf("emendo: %d of %d changes were not applied: %s", len(r.Conflicts), n.Hunks, visible.Text(r.Conflicts[0].Reason)))
		case summary != "":
			v.c.Info(v.c.Life(), "emendo: "+summary)
		}
	})
	return client.Answered(n)
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

// NextHunk goes to the next pending hunk, after the last one to the first.
func (v *Review) NextHunk(_ context.Context, a positionArgs) (rpc.Work, error) {
	return v.goFrom(a, func(hunks []location, from location) int {
		i := slices.IndexFunc(hunks, func(l location) bool { return l.compare(from) > 0 })
		return max(i, 0) // after the last comes the first
	}), nil
}

// PrevHunk goes to the previous pending hunk.
func (v *Review) PrevHunk(_ context.Context, a positionArgs) (rpc.Work, error) {
	return v.goFrom(a, func(hunks []location, from location) int {
		for i, l := range slices.Backward(hunks) {
			if l.compare(from) < 0 {
				return i
			}
		}
		return len(hunks) - 1
	}), nil
}

// compare orders locations by document and line. The column does not count: a
// cursor inside the line of a hunk is at that hunk.
func (l location) compare(o location) int {
	return cmp.Or(cmp.Compare(l.URI, o.URI), cmp.Compare(l.Range.Start.Line, o.Range.Start.Line))
}

// goFrom picks a hunk relative to a position, or to the focus, and opens it for
// clients that do not. Without pending hunks the answer is null.
func (v *Review) goFrom(a positionArgs, pick func(hunks []location, from location) int) rpc.Work {
	f := v.c.Focus.Current()
	from := location{URI: a.URI}
	if a.URI == "" {
		from.URI = string(f.Active)
		if d := v.c.Workspace.Snapshot().Document(f.Active); d != nil {
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
	for _, h := range v.pending("") {
		hunks = append(hunks, location{h.uri(), v.visibleRange(h)})
	}
	if len(hunks) == 0 {
		return client.Answered(nil)
	}
	slices.SortStableFunc(hunks, location.compare)
	to := hunks[pick(hunks, from)]
	v.c.Focus.NoteRange(ide.ParseURI(to.URI), ide.Range{Start: to.Range.Start, End: to.Range.Start})
	return func(context.Context) (any, error) {
		if v.c.Can.MarksHunks() {
			v.c.ShowDocument(to.URI, &to.Range)
		}
		return to, nil
	}
}
