package ledger

// A standing is the state of a hunk as decisions about it distinguish it.
type standing int

const (
	pending standing = iota
	applied          // accepted, and the user has not decided it
	agreed           // accepted by the user, or kept
	rejected
	adrift // conflicted or superseded

	standings // how many there are
)

// An effect of an action on a hunk.
type effect int

const (
	unfit    effect = iota // nothing: the decision is among the conflicts
	stays                  // nothing: it is so already
	putIn                  // its text and that of its bases is put in; then it is accepted and reviewed
	turnDown               // it is rejected; no text changes
	keep                   // it is reviewed
	takeBack               // its old text is put back; then it is rejected
	withdraw               // its old text is put back; then a proposal is pending, and what was applied unasked rejected
	ask                    // a proposal is pending again; what was applied unasked is applied again
)

// table says what each action does with a hunk of each standing.
var table = map[Action][standings]effect{
	//       pending   applied   agreed    rejected  adrift
	Accept: {putIn, stays, stays, putIn, putIn},
	Reject: {turnDown, takeBack, takeBack, stays, turnDown},
	Keep:   {unfit, keep, unfit, unfit, unfit},
	Undo:   {unfit, takeBack, takeBack, unfit, unfit},
	Reopen: {stays, unfit, withdraw, ask, ask},
}

func (h *hunk) standing() standing {
	switch {
	case h.state == Pending:
		return pending
	case h.unreviewed():
		return applied
	case h.state == Accepted:
		return agreed
	case h.state == Rejected:
		return rejected
	}
	return adrift
}

// means reports whether an action on a whole change set or file means a hunk. If it means
// none, it means all.
func (a Action) means(h *hunk) bool {
	switch a {
	case Reject:
		return h.state == Pending
	case Keep, Undo:
		return table[a][h.standing()] != unfit
	case Accept, Reopen:
	}
	return false
}

// decide plans what a decision does with a hunk. named means that it names the hunk.
func (p *plan) decide(h *hunk, d Decision, named bool) {
	switch table[d.Action][h.standing()] {
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
	case keep:
		p.keep(h)
	case takeBack:
		p.undo(h, Rejected)
	case withdraw:
		then := Pending
		if h.unasked {
			then = Rejected
		}
		p.undo(h, then)
	case ask:
		if h.unasked {
			p.accept(h, nil, true, true)
			return
		}
		p.propose(h)
	}
}
