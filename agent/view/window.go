package view

import (
	"cmp"
	"slices"
)

// Window is what the view of the window has beside questions: items that are of no session,
// the hunks that wait for the user, and what has changed of them. It is not safe for
// concurrent use.
type Window struct {
	o      Options
	status *Item

	files    map[string]*windowFile            // by path, or URI
	sets     map[string]map[string]*windowHunk // by change set and hunk: those that wait
	versions map[string]uint64                 // of all change sets
	seq      int64                             // changes of what the user decides on so far
	atOnce   int                               // how many hunks the client takes at a time; 0: any number

	items map[string]*windowItem
	puts  int // items so far, for their order

	changed map[string]bool // items, since the client was sent them
	dropped []string        // items and hunks that the client has
	restate bool            // the status has changed
}

// windowItem is an item and where it stands.
type windowItem struct {
	Item
	order string // among those of its kind; empty: as they came
	put   int

	known bool // the client has it
	moved bool // it stands elsewhere than the client has it
}

// NewWindow returns a window without items.
func NewWindow() *Window {
	w := &Window{items: map[string]*windowItem{}, changed: map[string]bool{}}
	w.ForgetHunks(Options{})
	return w
}

// kindsInOrder are the kinds of items as they stand below each other: what stands in the way
// comes first.
var kindsInOrder = []Kind{KindNotice, KindTask, KindFile, KindWelcome}

func (i *windowItem) compare(o *windowItem) int {
	return cmp.Or(
		cmp.Compare(slices.Index(kindsInOrder, i.Kind), slices.Index(kindsInOrder, o.Kind)),
		cmp.Compare(i.order, o.order), i.put-o.put,
	)
}

// Put adds an item, or replaces the one with its ID: its parts stay when it has none. The
// status is apart.
func (w *Window) Put(i Item) { w.put(i, "") }

// put puts an item with its order among those of its kind.
func (w *Window) put(i Item, order string) {
	if i.Kind == KindStatus {
		w.status, w.restate = &i, true
		return
	}
	x := w.items[i.ID]
	if x == nil {
		w.puts++
		x = &windowItem{put: w.puts}
		w.items[i.ID] = x
	}
	if i.Parts == nil {
		i.Parts = x.Parts
	}
	x.moved = x.moved || x.order != order || x.Kind != i.Kind || x.Parent != i.Parent
	x.Item, x.order = i, order
	w.changed[i.ID] = true
}

// Drop removes an item and all that is below it.
func (w *Window) Drop(id string) {
	x := w.items[id]
	if x == nil {
		return
	}
	delete(w.items, id)
	delete(w.changed, id)
	if x.known {
		w.dropped = append(w.dropped, id)
	}
	w.forget(w.tree()[id])
}

// forget removes what was below an item that is dropped.
func (w *Window) forget(l []*windowItem) {
	for _, x := range l {
		delete(w.items, x.ID)
		delete(w.changed, x.ID)
		if x.known && x.moved { // the client has it elsewhere
			w.dropped = append(w.dropped, x.ID)
		}
		w.forget(w.tree()[x.ID])
	}
}

// tree returns all items by their parents, those at the top by "", in the order of the screen.
func (w *Window) tree() map[string][]*windowItem {
	below := map[string][]*windowItem{}
	for _, x := range w.items {
		below[x.Parent] = append(below[x.Parent], x)
	}
	for _, l := range below {
		slices.SortFunc(l, (*windowItem).compare)
	}
	return below
}

// Item returns an item, or the status.
func (w *Window) Item(id string) (Item, bool) {
	if w.status != nil && w.status.ID == id {
		return *w.status, true
	}
	if x := w.items[id]; x != nil {
		return x.Item, true
	}
	return Item{}, false
}

// Whole returns everything, for a client that has nothing: from now on [Window.Changes] has
// what changes of it. Of hunks both return at most atOnce, unless that is 0: each has the next
// of those that the client lacks.
func (w *Window) Whole(atOnce int) (status *Item, items []Item, hunks []HunkView) {
	w.atOnce = atOnce
	w.refreshFiles()
	items = []Item{}
	below := w.tree()
	var walk func(parent string)
	walk = func(parent string) {
		for _, x := range below[parent] {
			x.known, x.moved = true, false
			items = append(items, x.Item)
			walk(x.ID)
		}
	}
	walk("")
	w.restate, w.dropped = false, nil
	clear(w.changed)
	return w.status, items, w.wholeHunks()
}

// Due is what the client can be sent.
type Due struct {
	Status bool // the status
	Moves  bool // hunks that have only moved
	Rest   bool
}

// Changed reports what has changed.
func (w *Window) Changed() Due {
	hunks, moves := w.hunksChanged()
	return Due{w.restate, moves, hunks || len(w.changed)+len(w.dropped) > 0}
}

// Changes returns what has changed since it was called last, for a client that has everything
// before; the status and hunks that have only moved where they are due.
func (w *Window) Changes(due Due) (l []Change) {
	hunks := w.hunkChanges(due.Moves)
	w.refreshFiles()
	if len(w.dropped) > 0 {
		l = append(l, Change{Drop: w.dropped})
	}
	if len(w.changed) > 0 {
		l = w.itemChanges(l, w.tree(), "")
	}
	l = append(l, hunks...)
	if due.Status && w.restate {
		l = append(l, Change{Status: w.status})
		w.restate = false
	}
	w.dropped = nil
	clear(w.changed)
	return l
}

// itemChanges appends the changes of the items below another, and of those below them.
func (w *Window) itemChanges(l []Change, below map[string][]*windowItem, parent string) []Change {
	siblings := below[parent]
	last := -1 // the last that the client has where it stands
	for n, x := range siblings {
		if x.known && !x.moved {
			last = n
		}
	}
	for n, x := range siblings {
		if w.changed[x.ID] {
			c := Change{Item: new(x.Item)}
			if x.known && x.moved || !x.known && n < last {
				c.After = After{Set: true}
				if n > 0 {
					c.After.ID = siblings[n-1].ID
				}
			}
			x.known, x.moved = true, false
			l = append(l, c)
		}
		l = w.itemChanges(l, below, x.ID)
	}
	return l
}
