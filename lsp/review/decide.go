package review

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

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
		for _, h := range touched(v.fitting(f.Active, do), f.Selections[0]) {
			ds = append(ds, h.decision(do))
		}
	}
	if len(ds) == 0 {
		none := "none_pending"
		if isReview(do) {
			none = "none_unreviewed"
		}
		return nil, client.Unable("%s", words(none))
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
	n := count(cs, func(h ledger.Hunk) bool { return a.HunkID == h.ID || a.HunkID == "" && takesVerdict(h, do) })
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

// isReview reports whether an action is on hunks that were applied, rather than on pending ones.
func isReview(do ledger.Action) bool { return do == ledger.Keep || do == ledger.Undo }

// takesVerdict reports whether an action is one on a hunk that is not decided.
func takesVerdict(h ledger.Hunk, do ledger.Action) bool {
	if isReview(do) {
		return h.Unreviewed()
	}
	return h.State.Waits()
}

// fitting returns the undecided hunks of a document, or of all, that an action is on.
func (v *Review) fitting(u ide.URI, do ledger.Action) []undecided {
	return slices.DeleteFunc(v.undecided(u), func(h undecided) bool {
		return !takesVerdict(h.Hunk, do) || do == ledger.Undo && h.isFinal()
	})
}

// AllArgs name hunks: those of a document, a session and a turn, as far as they are named.
type AllArgs struct {
	URI       string `json:"uri,omitzero"`
	SessionID string `json:"sessionId,omitzero"`
	TurnID    string `json:"turnId,omitzero"`
}

// DecideAll carries out an action on the hunks that are named, or on those of the
// current session, as one group. It leaves those of other sessions, which the user has
// not seen.
func (v *Review) DecideAll(a AllArgs, do ledger.Action) (rpc.Work, error) {
	var u ide.URI
	if a.URI != "" {
		u = ide.ParseURI(a.URI)
	}
	if a == (AllArgs{}) {
		a.SessionID = v.current.ID()
	}
	var ds []ledger.Decision
	files := map[string]bool{}
	for _, h := range v.fitting(u, do) {
		if (a.SessionID == "" || h.set.SessionID == a.SessionID) && (a.TurnID == "" || h.set.TurnID == a.TurnID) {
			ds = append(ds, h.decision(do))
			files[h.uri()] = true
		}
	}
	n := decided{len(ds), len(files)}
	verb := map[ledger.Action]string{ledger.Accept: "accepted", ledger.Reject: "rejected", ledger.Keep: "kept", ledger.Undo: "undone"}[do]
	return v.decide(n, ds, words(verb, "changes", counted("changes", n.Hunks), "files", counted("files", n.Files))), nil
}

func (u undecided) decision(do ledger.Action) ledger.Decision {
	return ledger.Decision{ChangeSetID: u.set.ID, HunkID: u.ID, Action: do}
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
			v.c.Warn(v.c.Life(), "emendo: "+words("conflicts", "n", len(r.Conflicts), "all", n.Hunks, "reason", r.Conflicts[0].Reason))
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
	URI    string    `json:"uri"`
	Range  ide.Range `json:"range"`
	HunkID string    `json:"hunkId"`
}

// NextHunk goes to the next undecided hunk, after the last one to the first.
func (v *Review) NextHunk(_ context.Context, a positionArgs) (rpc.Work, error) {
	return v.goFrom(a, func(hunks []location, from location) int {
		i := slices.IndexFunc(hunks, func(l location) bool { return l.compare(from) > 0 })
		return max(i, 0) // after the last comes the first
	}), nil
}

// PrevHunk goes to the previous undecided hunk.
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
// clients that do not. Without one to go to the answer is null.
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
	for _, h := range v.undecided("") {
		if h.canBeShown() {
			hunks = append(hunks, location{h.uri(), v.visibleRange(h), h.ID})
		}
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

// unreviewed answers emendo.unreviewed.
type unreviewed struct {
	Items []unreviewedHunk `json:"items"`
}

type unreviewedHunk struct {
	URI         string    `json:"uri"`
	Range       ide.Range `json:"range"`
	ChangeSetID string    `json:"changeSetId"`
	HunkID      string    `json:"hunkId"`
	Title       string    `json:"title"`
}

type documentArgs struct {
	URI string `json:"uri"`
}

// Unreviewed lists the hunks that were applied and that the user is to review, of a document or
// of all. A client that draws no hunks shows the user in which files they are.
func (v *Review) Unreviewed(_ context.Context, a documentArgs) (rpc.Work, error) {
	return func(ctx context.Context) (any, error) {
		if h := v.c.Host.Current(); h != nil {
			defer h.Agent.Process.Use()() // thousands of hunks are megabytes
			h.Agent.LookAtCommits(ctx)
		}
		var u ide.URI
		if a.URI != "" {
			u = ide.ParseURI(a.URI)
		}
		l := unreviewed{[]unreviewedHunk{}}
		in := map[string]int{}
		for _, h := range v.fitting(u, ledger.Keep) {
			name := v.pathOf(h)
			in[name]++
			title := words("at", "path", name, "line", h.Range.Start.Line+1, "what", h.excerpt())
			l.Items = append(l.Items, unreviewedHunk{h.uri(), v.visibleRange(h), h.set.ID, h.ID, title})
		}
		slices.SortStableFunc(l.Items, func(a, b unreviewedHunk) int {
			return location{URI: a.URI, Range: a.Range}.compare(location{URI: b.URI, Range: b.Range})
		})
		if v.c.Can.MarksHunks() {
			v.c.Info(ctx, "emendo: "+leftIn(in))
		}
		return l, nil
	}, nil
}

// mostNamed bounds the files that a message names.
const mostNamed = 20

// leftIn says how many hunks are left to review, and in which files.
func leftIn(files map[string]int) string {
	if len(files) == 0 {
		return words("reviewed")
	}
	var names []string
	all := 0
	for _, name := range slices.Sorted(maps.Keys(files)) {
		all += files[name]
		if len(names) < mostNamed {
			names = append(names, words("left_in", "path", name, "n", files[name]))
		}
	}
	if more := len(files) - len(names); more > 0 {
		names = append(names, counted("more", more))
	}
	return words("left", "changes", counted("changes", all), "files", strings.Join(names, ", "))
}
