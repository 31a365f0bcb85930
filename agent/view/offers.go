package view

import (
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/agent/transcript"
)

// The actions of turns. What is saved of an [Edit] takes the place of the turn and all after it.
const (
	EditCopy = "edit_copy" // the same in a copy of the session up to before the turn
	GoBack   = "back"      // to before the prompt
	Fork     = "fork"      // copies the session up to the end of the turn
	Again    = "again"     // sends the prompt of a failed turn once more
	Fresh    = "fresh"     // puts it into the input of a new session
)

// firstPrompt returns the prompt that began a turn; nil if there is none.
func (e *entry) firstPrompt() *entry {
	if i := slices.IndexFunc(e.children, func(o *entry) bool { return o.Kind == KindUser }); i >= 0 {
		return e.children[i]
	}
	return nil
}

// offer says what can be done with a turn.
func (c *Conversation) offer(turn *entry) {
	if turn == nil {
		return
	}
	l := c.turnOffers(turn)
	if !slices.EqualFunc(l, turn.Actions, func(a, b Action) bool { return a.ID == b.ID }) {
		turn.Actions = l
		c.touch(turn, head)
	}
}

func (c *Conversation) turnOffers(turn *entry) []Action {
	if turn.State == Running {
		return byID(Stop)
	}
	l := byID(Copy)
	if first := turn.firstPrompt(); first == nil || first.aside {
		return l
	}
	if failed := turn.State == Failed || turn.State == Interrupted; failed && c.isLast(turn) {
		if turn.turn.overflow {
			l = append(l, Verb(Fresh))
		} else {
			l = append(l, Verb(Again))
		}
	}
	return append(l, Action{ID: Edit, Title: say("do.edit_again"), Look: Edit}, Verb(EditCopy), Verb(GoBack), Verb(Fork))
}

// isLast reports whether no turn came after one.
func (c *Conversation) isLast(turn *entry) bool { return c.lastTurn() == turn }

// lastTurn returns the newest turn, or nil.
func (c *Conversation) lastTurn() *entry {
	for _, e := range slices.Backward(c.top) {
		if e.turn != nil {
			return e
		}
	}
	return nil
}

// Prompt is what the user sent.
type Prompt struct {
	Text   string             // what they typed
	Others []transcript.Block // what they added
}

// Blocks returns a prompt as it is sent.
func (p Prompt) Blocks() (l []transcript.Block) {
	if strings.TrimSpace(p.Text) != "" {
		l = append(l, transcript.Block{Type: transcript.TextBlock, Text: p.Text})
	}
	return append(l, p.Others...)
}

// PromptOf returns the prompt that began a turn. It reports whether there is one.
func (c *Conversation) PromptOf(turnID string) (p Prompt, ok bool) {
	turn := c.items[turnID]
	if turn == nil || turn.turn == nil {
		return p, false
	}
	first := turn.firstPrompt()
	if first == nil {
		return p, false
	}
	for _, part := range first.Parts {
		if part.Kind == Plain {
			p.Text = part.Text
		}
	}
	p.Others = first.blocks
	return p, true
}

// Before returns the turn before one; empty if that is the first.
func (c *Conversation) Before(turnID string) string {
	before := ""
	for _, e := range c.top {
		if e.ID == turnID {
			break
		}
		if e.turn != nil {
			before = e.ID
		}
	}
	return before
}

// CameToNothing reports whether a turn has nothing but its prompt and notices, so that another
// attempt can take its place.
func (c *Conversation) CameToNothing(turnID string) bool {
	turn := c.items[turnID]
	return turn != nil && !slices.ContainsFunc(turn.children, func(e *entry) bool { return e.Kind != KindUser && e.Kind != KindNotice })
}

// Following returns how many turns came after one.
func (c *Conversation) Following(turnID string) (n int) {
	found := false
	for _, e := range c.top {
		if found && e.turn != nil {
			n++
		}
		found = found || e.ID == turnID
	}
	return n
}
