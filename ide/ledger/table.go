package ledger

import "slices"

// situation is how an event finds a hunk.
type situation int

const (
	isPending    situation = iota
	isUnreviewed           // accepted, and the user has not decided it
	isReviewed             // accepted, and decided
	isRejected
	isLost // conflicted or superseded: its texts are not where they were, or its base is not
	situations
)

// event is what can happen to a hunk. The actions come first, in their order.
type event int

const (
	onAccept event = iota
	onReject
	onKeep
	onUndo
	onReopen
	onOldText   // typing, undo or redo in the editor, or another program gives its old text
	onNewText   // likewise its new text
	onOtherText // likewise other text inside of it
	onBaseGone  // a hunk that it builds on is rejected
	onClose     // its document is closed, or emendo has started again
	onCommit    // a commit of the user's has its text
	events
)

// An effect of an event on a hunk.
type effect int

const (
	unfit    effect = iota // nothing: a decision is among the conflicts
	stays                  // nothing: it is so already
	putIn                  // its text and that of its bases is put in; then it is accepted and reviewed
	turnDown               // it is rejected; no text changes
	keep                   // it is reviewed
	takeBack               // its old text is put back; then it is rejected
	withdraw               // its old text is put back; then a proposal is pending, and what was applied unasked rejected
	ask                    // a proposal is pending again; what was applied unasked is applied again
	wait                   // a proposal is pending again; what was applied unasked is rejected
	apply                  // it is accepted: what was applied unasked before as it was then, the rest reviewed
	edit                   // it is accepted, and edited
	conflict               // it is conflicted, once the user pauses
	follow                 // it is followed in the file, pending where its old text stands once, else conflicted
	drop                   // it is not followed any more
)

// table is what each event does with a hunk in each situation. docs/decisions/ledger.md has it in words.
var table = [events][situations]effect{
	//           pending   to review reviewed  rejected  lost
	onAccept:    {putIn, stays, stays, putIn, putIn},
	onReject:    {turnDown, takeBack, takeBack, stays, turnDown},
	onKeep:      {unfit, keep, unfit, unfit, unfit},
	onUndo:      {unfit, takeBack, takeBack, unfit, unfit},
	onReopen:    {stays, unfit, withdraw, ask, ask},
	onOldText:   {stays, wait, wait, stays, wait},
	onNewText:   {apply, stays, stays, apply, apply},
	onOtherText: {conflict, edit, edit, stays, stays},
	onBaseGone:  {turnDown, takeBack, takeBack, stays, stays},
	onClose:     {follow, follow, drop, drop, drop},
	onCommit:    {stays, keep, stays, stays, stays},
}

// situation returns how the hunk is found.
func (h *hunk) situation() situation {
	switch {
	case h.state.proposed():
		return isPending
	case h.unreviewed():
		return isUnreviewed
	case h.state.Applied():
		return isReviewed
	case h.state == Rejected:
		return isRejected
	}
	return isLost
}

// effectFor returns what an event does with the hunk.
func (h *hunk) effectFor(e event) effect { return table[e][h.situation()] }

// effectOf returns what an action does with the hunk.
func (h *hunk) effectOf(a Action) effect { return h.effectFor(event(slices.Index(actions, a))) }
