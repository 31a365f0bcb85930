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
	Redo     = "redo"      // undoes going back
)

// firstPrompt returns the prompt that began a turn, or nil.
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
	if failed := turn.State == Failed || turn.State == Interrupted; failed && c.lastTurn() == turn {
		if turn.turn.overflow {
			l = append(l, Verb(Fresh))
		} else {
			l = append(l, Verb(Again))
		}
	}
	return append(l, Action{ID: Edit, Title: doing("edit_again"), Detail: new(say("do.edit_again_detail")), Look: Edit}, Verb(EditCopy), Verb(GoBack), Verb(Fork))
}

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

// Of is what the actions of a turn need to know.
type Of struct {
	Prompt  Prompt // that began it
	Before  string // the turn before it; empty if it is the first
	Nothing bool   // it has nothing but its prompt and notices, so that another attempt can take its place
}

// Of returns what actions need to know of a turn.
func (c *Conversation) Of(turnID string) (of Of) {
	turn := c.items[turnID]
	if turn == nil || turn.turn == nil {
		return of
	}
	if first := turn.firstPrompt(); first != nil {
		of.Prompt.Others = first.blocks
		var texts []string
		for _, part := range first.Parts {
			if part.Kind == Plain {
				texts = append(texts, part.Text)
			}
		}
		of.Prompt.Text = strings.Join(texts, "\n")
	}
	of.Nothing = !slices.ContainsFunc(turn.children, func(e *entry) bool { return e.Kind != KindUser && e.Kind != KindNotice })
	for _, e := range c.top {
		if e == turn {
			break
		}
		if e.turn != nil {
			of.Before = e.ID
		}
	}
	return of
}
