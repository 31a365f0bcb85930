package ledger

import (
	"fmt"
	"slices"
	"strings"
)

// State is the state of a hunk or of a change set.
type State string

// The states. Logs and the wire have these names. [states] says what holds for each, [table] what
// becomes of them.
const (
	Pending    State = "pending"
	Accepted   State = "accepted"
	Rejected   State = "rejected"
	Conflicted State = "conflicted"
	Superseded State = "superseded"
	Partial    State = "partial" // of a change set: its hunks are decided differently
)

// stateFacts are what holds for every hunk of a state. Everyone asks for these, by the
// methods of [State]; only the ledger's own transitions compare states.
type stateFacts struct {
	is      traits
	outcome string // what became of the edit, in a word for the model and the user
	report  string // the same in the report about it; empty: the outcome with its reason
}

// traits of a state.
type traits uint8

const (
	waits    traits = 1 << iota // the user is to decide: it is counted, drawn and waited for
	proposed                    // its old text is there, and the session's view of the file has the new one
	applied                     // its new text is in the file
	decided                     // the user, or who decides for them, has said yes or no
)

// Action is the kind of a decision.
type Action string

// The actions.
const (
	Accept Action = "accept"
	Reject Action = "reject"
	Reopen Action = "reopen"
	Keep   Action = "keep" // what was applied is reviewed
	Undo   Action = "undo" // the old text is put back
)

// actions are all actions.
var actions = []Action{Accept, Reject, Keep, Undo, Reopen}

var states = map[State]stateFacts{
	Pending:    {waits | proposed, "pending", "not decided yet"},
	Accepted:   {applied | decided, "applied", "applied"},
	Rejected:   {decided, "rejected", "rejected by the user"},
	Conflicted: {0, "conflicted", ""},
	Superseded: {0, "superseded", ""},
	Partial:    {},
}

// facts returns what holds for the state. One of a later version, in a log, counts as conflicted.
func (s State) facts() stateFacts {
	if f, ok := states[s]; ok {
		return f
	}
	return states[Conflicted]
}

// Known reports whether there is such a state.
func (s State) Known() bool {
	_, ok := states[s]
	return ok
}

// Waits reports whether the user is to decide on hunks of the state.
func (s State) Waits() bool { return s.facts().is&waits != 0 }

// Applied reports whether the new text of hunks of the state is in the file.
func (s State) Applied() bool { return s.facts().is&applied != 0 }

// Decided reports whether the user, or who decides for them, has accepted or rejected hunks
// of the state.
func (s State) Decided() bool { return s.facts().is&decided != 0 }

// Outcome says in a word what became of hunks of the state, for the model and the user.
func (s State) Outcome() string { return s.facts().outcome }

// Report is [State.Outcome] in a report about each hunk; "" if that has the hunk's reason.
func (s State) Report() string { return s.facts().report }

func (s State) proposed() bool { return s.facts().is&proposed != 0 }

// Check returns an error that lists the actions if there is no such action.
func (a Action) Check() error {
	if slices.Contains(actions, a) {
		return nil
	}
	var names []string
	for _, known := range actions {
		names = append(names, string(known))
	}
	last := len(names) - 1
	return fmt.Errorf("unknown action %q: want %s or %s", a, strings.Join(names[:last], ", "), names[last])
}

// appliesTo reports whether an action on a whole change set or file applies to a hunk. If it applies to
// none, it means all.
func (a Action) appliesTo(h *hunk) bool {
	switch a {
	case Reject:
		return h.state.proposed()
	case Keep, Undo:
		return h.effectOf(a) != unfit
	case Accept, Reopen:
	}
	return false
}

// decide plans what a decision does with a hunk. named means that it names the hunk.
func (p *plan) decide(h *hunk, d Decision, named bool) {
	switch h.effectOf(d.Action) {
	case unfit:
		p.refuse(h, reasonUnfit+string(h.state))
	case stays:
		if d.Action == Accept {
			p.accept(h, d.Text, named, d.Unasked)
		}
	case putIn:
		p.accept(h, d.Text, named, d.Unasked)
	case turnDown:
		p.turnDown(h)
		p.takeAlong(h, d.Leave)
	case keep:
		p.markReviewed(h)
	case takeBack, withdraw:
		if why := p.mayBeUndone(h); why != "" && h.file.omitted == "" {
			p.refuse(h, why)
			return
		}
		if h.effectOf(d.Action) == takeBack || h.verdict.unasked {
			p.undo(h, Rejected, "")
			p.takeAlong(h, d.Leave)
			return
		}
		p.undo(h, Pending, "")
		p.withdrawAlong(h)
	case ask:
		if h.verdict.unasked {
			p.accept(h, nil, true, true)
			return
		}
		p.propose(h)
	case wait, apply, edit, conflict, follow, drop: // no action does that
		panic("ledger: an action has the effect of another event")
	}
}
