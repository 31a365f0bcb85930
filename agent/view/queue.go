package view

import (
	"reflect"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/internal/visible"
)

// The actions of prompts that wait.
const (
	Edit      = "edit"
	Up        = "up"
	Down      = "down"
	Front     = "front"
	Steer     = "steer"     // sends it to the running turn
	Interrupt = "interrupt" // sends it in place of what runs
	Remove    = "remove"
	Resume    = "resume" // the queue, which is paused
)

// Queued is a prompt that waits for the model.
type Queued struct {
	TurnID    string // the turn that it belongs to, or will
	MessageID string
	Steer     bool // it goes to the running turn; else it becomes a turn
	Blocks    []transcript.Block
}

// shownQueued is how many characters of a queued prompt its title has.
const shownQueued = 120

// Queue replaces the prompts that wait, which stand behind everything else. A paused queue
// waits for the user. Prompts that the conversation has already are left out.
func (c *Conversation) Queue(l []Queued, paused bool) {
	l = slices.DeleteFunc(slices.Clone(l), func(q Queued) bool {
		e := c.items[q.MessageID]
		return e != nil && e.Kind != KindQueued
	})
	for _, e := range slices.Clone(c.queue) {
		if !slices.ContainsFunc(l, func(q Queued) bool { return q.MessageID == e.ID }) {
			c.drop(e)
		}
	}
	c.paused = paused && len(l) > 0
	turns, position := 0, 0 // prompts that become turns, and those before the next
	for _, q := range l {
		if !q.Steer {
			turns++
		}
	}
	for at, q := range l {
		e := c.items[q.MessageID]
		switch {
		case e == nil:
			e = &entry{Item: Item{ID: q.MessageID}, fresh: true, placed: at < len(c.queue)}
			c.items[q.MessageID] = e
			c.queue = slices.Insert(c.queue, at, e)
		case c.queue[at] != e:
			c.queue = slices.Insert(slices.DeleteFunc(c.queue, func(o *entry) bool { return o == e }), at, e)
			e.placed = true
			c.touch(e, head)
		}
		now := c.queued(q, position, turns)
		if !q.Steer {
			position++
		}
		if !reflect.DeepEqual(e.Item, now) {
			e.Item = now
			c.touch(e, whole)
		}
	}
}

// queued returns a prompt that waits as an item. position is its own among the prompts that
// become turns, of which there are so many.
func (c *Conversation) queued(q Queued, position, turns int) Item {
	e := entry{Item: Item{ID: q.MessageID, Kind: KindQueued, State: Waiting}}
	for _, b := range q.Blocks {
		c.addBlock(&e, b)
	}
	e.Title = e.brief()
	actions := []string{Edit}
	switch {
	case q.Steer:
		e.Look, e.Note = "steer", new(say("queued.steer"))
		actions = append(actions, Interrupt)
	case c.paused:
		e.State, e.Note = Interrupted, new(say("queued.paused"))
		actions = append(actions, Resume)
	default:
		e.Note = new(say("queued.next"))
	}
	if !q.Steer {
		if position > 0 {
			actions = append(actions, Up)
		}
		if position < turns-1 {
			actions = append(actions, Down)
		}
		if position > 1 {
			actions = append(actions, Front)
		}
		if c.running != "" {
			actions = append(actions, Steer)
		}
		actions = append(actions, Interrupt)
	}
	e.Actions = byID(append(actions, Remove)...)
	return e.Item
}

// brief returns one line that says which prompt it is: its text, or what is added to it.
func (e *entry) brief() Text {
	for _, p := range e.Parts {
		if p.Kind == Plain && strings.TrimSpace(p.Text) != "" {
			return say("queued", "text", visible.ShortLine(p.Text, shownQueued))
		}
	}
	var l []string
	for _, line := range e.Lines {
		l = append(l, line.Text.Text)
	}
	for _, p := range e.Parts {
		if p.Kind == Image {
			l = append(l, say("chip.image").Text)
		}
	}
	return say("queued", "text", visible.ShortLine(strings.Join(l, ", "), shownQueued))
}
