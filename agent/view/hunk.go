package view

import (
	"strings"

	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/internal/visible"
)

// HunkState is the state of a hunk that waits for the user.
type HunkState string

// The states of hunks in a view.
const (
	HunkPending    HunkState = "pending"    // its old text is in the document
	HunkUnreviewed HunkState = "unreviewed" // its new text is, and nobody has looked at it
	HunkConflicted HunkState = "conflicted" // another text is
)

// HunkView is a piece of a change of files that waits for the user.
type HunkView struct {
	ID          string    `json:"id"`
	ChangeSetID string    `json:"changeSetId"`
	HunkID      string    `json:"hunkId"`
	SessionID   string    `json:"sessionId,omitempty"`
	ItemID      string    `json:"itemId,omitempty"` // the call that made it
	FileID      string    `json:"fileId"`
	State       HunkState `json:"state"`
	Range       Range     `json:"range"`
	Version     *int32    `json:"version,omitempty"` // of the document that the range is of; nil: it is closed
	Label       Text      `json:"label"`
	Marks       []Line    `json:"marks,omitempty"`
	Rows        []Row     `json:"rows,omitempty"` // of open documents
	Actions     []Action  `json:"actions"`
}

// The actions on hunks, and on all of a file or more.
const (
	Accept = "accept"
	Reject = "reject"
	Keep   = "keep" // what was applied is reviewed
	Undo   = "undo" // what was applied is removed from the file again
	Differ = "show" // the step compares the texts of the file

	AcceptAll = "acceptAll"
	RejectAll = "rejectAll"
	KeepAll   = "keepAll"
	UndoAll   = "undoAll"
)

// basis is what the view of a hunk is made from, but for where it is.
type basis struct {
	set, hunk, session, call string
	file                     *windowFile
	state                    HunkState
	op                       ledger.Op
	newPath                  string
	old, new, reason         string
	omitted                  ledger.Omission
	formatted, runs, open    bool
	committed                bool
	bases, dependents        int
	check                    ledger.Verdict
	introduced, resolved     int // errors
	unchecked                string
}

// decided is the part of a basis that a user decides on.
func (b basis) decided() basis {
	return basis{set: b.set, hunk: b.hunk, state: b.state, op: b.op, newPath: b.newPath, old: b.old, new: b.new, omitted: b.omitted}
}

// stateOf returns the state of a hunk in a view; empty if it does not wait for the user.
func stateOf(h ledger.Hunk) HunkState {
	switch {
	case h.State.Waits():
		return HunkPending
	case h.Unreviewed():
		return HunkUnreviewed
	case h.State == ledger.Conflicted:
		return HunkConflicted
	}
	return ""
}

// label says what a hunk does, or has done.
func (b basis) label(near func(string) string) Text {
	added, removed := len(linesOf(b.new)), len(linesOf(b.old))
	counts := []any{"added", added, "removed", removed}
	switch {
	case b.state == HunkConflicted:
		return say("hunk.conflict", "reason", b.reason)
	case b.omitted != "":
		return say("hunk." + string(b.omitted))
	}
	code := "hunk."
	if b.state == HunkUnreviewed {
		code = "hunk.applied_"
	}
	if b.op == ledger.Rename {
		return say(code+"rename", "path", near(b.newPath))
	}
	return say(code+string(b.op), counts...)
}

// mostPreview is how much of a hunk's first line is shown where its rows are not, in
// characters.
const mostPreview = 80

// marks are the facts about a hunk.
func (b basis) marks() (l []Line) {
	add := func(id, look, code string, args ...any) {
		l = append(l, Line{ID: id, Look: look, Text: say(code, args...)})
	}
	if b.state == HunkPending {
		if c := b.checkLine(); c != nil {
			l = append(l, *c)
		}
	}
	if b.runs {
		add("runs", warning, "hunk.runs")
	}
	if b.formatted {
		add("formatted", "formatted", "hunk.formatted")
	}
	if b.committed {
		add("committed", "", "hunk.committed")
	}
	if b.bases > 0 && b.state == HunkPending {
		add("bases", "", "hunk.bases", "n", b.bases)
	}
	if b.dependents > 0 && (b.state == HunkPending || b.state == HunkUnreviewed) {
		add("dependents", "", "hunk.dependents", "n", b.dependents)
	}
	if b.omitted != "" && b.reason != "" && b.state == HunkUnreviewed {
		add("final", warning, "hunk.final", "reason", b.reason)
	}
	if !b.open {
		for _, line := range append(linesOf(b.new), linesOf(b.old)...) {
			if line = strings.TrimSpace(line); line != "" {
				add("text", "", "hunk.text", "text", visible.Short(line, mostPreview))
				break
			}
		}
	}
	return l
}

// checkLine says what language servers have found in the file that a hunk is of.
func (b basis) checkLine() *Line {
	return checkLine(ledger.Verification{State: b.check, Introduced: b.introduced, Resolved: b.resolved, Reason: b.unchecked})
}

// checkLine says what language servers have found in proposed text; nil if none was to look.
func checkLine(v ledger.Verification) *Line {
	switch {
	case v.State == ledger.Verified && v.Resolved > 0:
		return &Line{ID: "check", Look: "verified", Text: say("check.resolves", "n", v.Resolved)}
	case v.State == ledger.Verified:
		return &Line{ID: "check", Look: "verified", Text: say("check.verified")}
	case v.State == ledger.Problems:
		return &Line{ID: "check", Look: "problems", Text: say("check.problems", "n", v.Introduced)}
	case v.State == ledger.Unverified && v.Reason != "":
		return &Line{ID: "check", Look: "unverified", Text: say("check.unverified", "reason", v.Reason)}
	}
	return nil
}

// actions are what can be done with a hunk. Titles say what goes with it.
func (b basis) actions() (l []Action) {
	along := func(id, code string, n int) Action {
		if n == 0 {
			return Verb(id)
		}
		return Action{ID: id, Title: short(say(code, "n", n), doing(id).Text), Look: id}
	}
	switch b.state {
	case HunkPending:
		l = append(l, along(Accept, "hunk.accept_bases", b.bases), along(Reject, "hunk.reject_dependents", b.dependents), Verb(RejectWhy))
	case HunkUnreviewed:
		l = append(l, Verb(Keep))
		if b.omitted == "" || b.reason == "" {
			l = append(l, along(Undo, "hunk.undo_dependents", b.dependents))
		}
	case HunkConflicted:
		l = append(l, Action{ID: Accept, Title: say("hunk.try_again"), Look: Accept}, Verb(Dismiss))
	}
	if b.omitted == "" {
		l = append(l, Verb(Differ))
		if b.state != HunkUnreviewed && (b.op == ledger.Modify || b.op == ledger.Create) {
			l = append(l, Verb(Edit))
		}
	}
	return l
}
