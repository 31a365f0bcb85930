package view

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/ledger"
)

// Conversation is the fold of a session's updates into items. It is not safe for concurrent
// use.
//
// IDs come from the record alone: a turn's and a call's are their own, what a message says is
// numbered in the message, and what has no ID, in the turn; notices outside of turns have their
// time. They do not depend on how chunks were merged.
type Conversation struct {
	o Options

	items     map[string]*entry
	sets      map[string]ledger.ChangeSet // what calls changed, by call
	top       []*entry                    // turns, and what came outside of turns, in order
	queue     []*entry                    // prompts that wait, in order, behind the others
	paused    bool                        // they wait for the user
	context   context                     // of the model, as it was said last
	running   string                      // the turn that runs; empty: none
	elsewhere string                      // likewise, in another process

	changed []*entry // since Changes was called last, in the order of their first change
	dropped []string // likewise, in order; an ID that was dropped is never used again but by the same thing
}

// Options of a [Conversation].
type Options struct {
	Encoding ide.Encoding // of lengths
	Folders  Folders      // of the session; nil: none
	// Terminals says that the client draws terminals.
	Terminals bool
	// Stored says that the record has what updates with a number say: long texts are left to it
	// once they were taken, and [Fill] reads them.
	Stored bool
}

// Folders are the folders that paths are relative to.
type Folders interface {
	// Near returns a path as the user reads it.
	Near(path string) string
}

// Shown are folders by what returns a path as the user reads it; nil: none.
type Shown func(path string) string

// Near implements [Folders].
func (s Shown) Near(path string) string {
	if s == nil {
		return path
	}
	return s(path)
}

// An entry is an item with what is below it and what of it has changed.
type entry struct {
	Item
	parent   *entry
	children []*entry

	known bool // the client has it
	fresh bool // it was added since the last change was taken

	placed bool // its change says where it stands

	turn   *turnFacts         // of a turn
	blocks []transcript.Block // of a prompt: what is not its text
	aside  bool               // of a prompt: it was a slash command
	call   *callFacts         // of a call

	change change
	from   []int // by part: where the text begins that the client does not have; -1: it has all

	texts []*strings.Builder // by part: the text, of parts that grow
}

// context is how many tokens of the model's context are used, of so many.
type context struct{ used, size int64 }

// change is how much of an item a client does not have.
type change uint8

const (
	same  change = iota
	grown        // texts were added to its parts
	head         // all but its parts
	whole
)

// NewConversation returns a conversation without items.
func NewConversation(o Options) *Conversation {
	if o.Folders == nil {
		o.Folders = Shown(nil)
	}
	return &Conversation{o: o, items: map[string]*entry{}, sets: map[string]ledger.ChangeSet{}}
}

// Add folds an update.
func (c *Conversation) Add(u transcript.Update) {
	switch e := u.Event.(type) { //nolint:gochecksumtype // the others are not items
	case transcript.UserChunk:
		c.prompt(u, e)
	case transcript.Text:
		c.text(u, e)
	case transcript.Thought:
		c.thought(u, e)
	case transcript.ToolCall:
		c.toolCall(u, e)
	case transcript.ToolUpdate:
		c.toolUpdate(u, e)
	case transcript.Plan:
		c.plan(u, e)
	case transcript.Notice:
		c.notice(u, e)
	case transcript.Compaction:
		c.compaction(u, e)
	case transcript.Retract:
		c.retract(u, e)
	case transcript.ResponseFinished:
		c.finished(u, e)
	case transcript.TurnEnded:
		c.turnEnded(u, e)
	case transcript.UsageUpdated:
		c.context = context{e.Used, e.Size}
		if turn := c.items[u.TurnID]; turn != nil {
			turn.turn.context = c.context
		}
	}
}

// Prepend folds updates that were before all others. The client has nothing of them until it
// asks for a page.
func (c *Conversation) Prepend(updates []transcript.Update) {
	before := NewConversation(c.o)
	before.sets, before.running, before.elsewhere = c.sets, c.running, c.elsewhere
	for _, u := range updates {
		before.Add(u)
	}
	follows := c.HasTurns()
	if follows {
		before.Settle()
	}
	last := before.lastTurn()
	maps.Copy(c.items, before.items)
	c.top = slices.Concat(before.top, c.top)
	if follows {
		c.offer(last)
	}
	if c.context.used == 0 {
		c.context = before.context
	}
	for _, e := range below(before.top) {
		e.fresh, e.placed, e.change, e.from = false, false, same, nil
		e.leave(c.o.Encoding)
	}
}

// HasTurns reports whether the conversation has a turn.
func (c *Conversation) HasTurns() bool { return c.lastTurn() != nil }

// turnOf returns the turn of an update, which it begins if it is new; nil for what came
// outside of turns.
func (c *Conversation) turnOf(u transcript.Update) *entry {
	if u.TurnID == "" {
		return nil
	}
	if t := c.items[u.TurnID]; t != nil {
		return t
	}
	before := c.lastTurn()
	t := &entry{Item: Item{ID: u.TurnID, Kind: KindTurn, State: Interrupted, Title: say("turn.interrupted"), At: clock(u.At)}, turn: &turnFacts{}}
	if c.running == u.TurnID {
		t.State, t.Title = Running, say("turn.working")
	}
	c.put(t, nil)
	c.offer(t)
	c.offer(before)
	return t
}

// put adds an item at the end of its parent.
func (c *Conversation) put(e, parent *entry) {
	e.parent = parent
	siblings := &c.top
	if parent != nil {
		e.Parent = parent.ID
		siblings = &parent.children
	}
	*siblings = append(*siblings, e)
	e.placed = parent == nil && len(c.queue) > 0
	c.items[e.ID] = e
	e.fresh = true
	c.touch(e, whole)
}

// touch notes a change of an item.
func (c *Conversation) touch(e *entry, how change) {
	if e.change == same {
		c.changed = append(c.changed, e)
	}
	e.change = max(e.change, how)
}

// grow adds text to a part of an item.
func (c *Conversation) grow(e *entry, part int, text string) {
	for len(e.from) <= part {
		e.from = append(e.from, -1)
	}
	now := &e.Parts[part].Text
	if e.from[part] < 0 {
		e.from[part] = len(*now)
	}
	b := e.builder(part)
	b.WriteString(text)
	*now = b.String() // shares its memory with the builder
	c.touch(e, grown)
}

// builder returns the builder of a part's text, so that many additions do not copy it each
// time.
func (e *entry) builder(part int) *strings.Builder {
	for len(e.texts) <= part {
		e.texts = append(e.texts, &strings.Builder{})
	}
	b, text := e.texts[part], e.Parts[part].Text
	if b.Len() != len(text) {
		b.Reset()
		b.WriteString(text)
	}
	return b
}

// drop removes an item and all that is below it.
func (c *Conversation) drop(e *entry) {
	siblings := &c.top
	switch {
	case e.parent != nil:
		siblings = &e.parent.children
	case e.Kind == KindQueued:
		siblings = &c.queue
	}
	*siblings = slices.DeleteFunc(*siblings, func(o *entry) bool { return o == e })
	c.forget(e)
	c.dropped = append(c.dropped, e.ID)
}

func (c *Conversation) forget(e *entry) {
	delete(c.items, e.ID)
	c.changed = slices.DeleteFunc(c.changed, func(o *entry) bool { return o == e })
	for _, child := range e.children {
		c.forget(child)
	}
}

// RunElsewhere says that another process works in the session: what has not ended goes on
// there, and cannot be stopped here.
func (c *Conversation) RunElsewhere() {
	if t := c.lastTurn(); t != nil && !t.turn.ended {
		c.elsewhere = t.ID
		t.State, t.Title = Waiting, say("turn.elsewhere")
		c.touch(t, head)
		c.offer(t)
	}
	c.Settle()
}

// RunsElsewhere reports whether a turn runs in another process.
func (c *Conversation) RunsElsewhere() bool { return c.elsewhere != "" }

// Run says which turn runs; empty: none.
func (c *Conversation) Run(turnID string) {
	c.running, c.elsewhere = turnID, ""
	if t := c.items[turnID]; t != nil && t.turn != nil && !t.turn.ended {
		c.settle(t, true)
	}
	c.Settle()
}

// Settle says that no more comes of turns that have not ended and do not run: they were
// interrupted, and so was what they did.
func (c *Conversation) Settle() {
	for _, t := range c.top {
		if t.turn != nil && !t.turn.ended && t.ID != c.running && t.ID != c.elsewhere {
			c.settle(t, false)
		}
	}
}

// Rewound removes what a rewind removed, or adds it again.
func (c *Conversation) Rewound(b transcript.Back) {
	if b.Redone {
		c.redo(b)
		return
	}
	c.Rewind(b.TurnID)
}

// Rewind removes a turn and all that came after it.
func (c *Conversation) Rewind(turnID string) {
	i := slices.IndexFunc(c.top, func(e *entry) bool { return e.ID == turnID })
	if i < 0 {
		return
	}
	for _, e := range slices.Clone(c.top[i:]) {
		c.drop(e)
	}
	c.context = lastContext(c.top)
	c.offer(c.lastTurn())
}

// lastContext returns what turns say last of the model's context.
func lastContext(top []*entry) context {
	for _, e := range slices.Backward(top) {
		if e.turn != nil && e.turn.context.used > 0 {
			return e.turn.context
		}
	}
	return context{}
}

// redo adds what a rewind removed, where it stood.
func (c *Conversation) redo(b transcript.Back) {
	at := clock(b.At)
	from := len(c.top)
	if i := slices.IndexFunc(c.top, func(e *entry) bool { return e.At > at }); i >= 0 {
		from = i
	}
	last := c.lastTurn()
	later := slices.Clone(c.top[from:])
	c.top = c.top[:from:from]
	for _, u := range b.Updates {
		c.Add(u)
	}
	for _, e := range c.top[from:] {
		e.placed = e.placed || len(later) > 0
	}
	c.top = append(c.top, later...)
	c.Settle()
	c.context = lastContext(c.top)
	c.offer(last)
}

// all returns all items in the order of the screen.
func (c *Conversation) all() []*entry { return append(below(c.top), c.queue...) }

// below returns items with all that is below them, in the order of the screen.
func below(roots []*entry) (l []*entry) {
	for _, e := range roots {
		l = append(append(l, e), below(e.children)...)
	}
	return l
}

// Item returns an item with its content, which [Fill] may have to read.
func (c *Conversation) Item(id string) (Item, bool) {
	e := c.items[id]
	if e == nil {
		return Item{}, false
	}
	i := e.Item
	i.Parts = slices.Clone(i.Parts)
	return i, true
}

// shown returns an item as a client gets it.
func (c *Conversation) shown(e *entry, bodies bool) Item {
	i := e.Item
	i.Parts = slices.Clone(i.Parts)
	folded := !bodies && (i.Kind == KindThought || i.Kind == KindCall) && i.State != Running && i.State != Asks && i.State != Waiting
	for n := range i.Parts {
		if p := &i.Parts[n]; folded || p.Kind == Image {
			*p = sized(*p, c.o.Encoding)
		} else {
			*p = cut(*p, c.o.Encoding)
		}
	}
	return i
}

// Changed reports whether anything has changed since Changes was called last.
func (c *Conversation) Changed() bool { return len(c.changed)+len(c.dropped) > 0 }

// Changes returns what has changed since it was called last, in order, for a client that has
// everything before. Images have only their size. [FillChanges] may have to read texts.
func (c *Conversation) Changes() (l []Change) {
	if len(c.dropped) > 0 {
		l = append(l, Change{Drop: c.dropped})
	}
	for _, e := range c.inOrder() {
		switch how := e.change; {
		case !e.known && !e.fresh: // on a page that the client does not have
		case how == whole:
			i := c.shown(e, true)
			l = append(l, Change{Item: &i, After: c.behind(e)})
		case how == head:
			l = append(l, c.appended(e)...)
			i := e.Item
			i.Parts = nil
			l = append(l, Change{Item: &i, After: c.behind(e)})
		case how == grown:
			l = append(l, c.appended(e)...)
		}
		e.known, e.fresh, e.change, e.from = e.known || e.fresh, false, same, nil
		e.placed = false
		e.leave(c.o.Encoding)
	}
	c.changed, c.dropped = nil, nil
	return l
}

// inOrder returns what has changed, in the order of the screen where one says where it stands:
// its sibling is there then.
func (c *Conversation) inOrder() []*entry {
	if !slices.ContainsFunc(c.changed, func(e *entry) bool { return e.placed }) {
		return c.changed
	}
	return slices.DeleteFunc(c.all(), func(e *entry) bool { return e.change == same })
}

// behind returns which sibling an item stands behind, if its change says so.
func (c *Conversation) behind(e *entry) After {
	if !e.placed {
		return After{}
	}
	var before string
	for _, o := range slices.Concat(c.top, c.queue) {
		if o == e {
			break
		}
		if o.known {
			before = o.ID
		}
	}
	return Behind(before)
}

// appended returns what was added to the parts of an item.
func (c *Conversation) appended(e *entry) (l []Change) {
	for part, from := range e.from {
		if from >= 0 && from < len(e.Parts[part].Text) {
			l = append(l, Change{Append: e.ID, Part: part, Text: e.Parts[part].Text[from:], Omitted: cut(e.Parts[part], c.o.Encoding).Omitted})
		}
	}
	return l
}

// number returns an ID for the nth thing of a kind in another one.
func number(of, kind string, n int) string { return of + "/" + kind + strconv.Itoa(n) }

// later returns the time after a wait.
func later(at time.Time, ms int64) string {
	if ms <= 0 {
		return ""
	}
	return clock(at.Add(time.Duration(ms) * time.Millisecond))
}
