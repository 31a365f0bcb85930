// Package viewtest folds the changes of a conversation as a client does, from their
// description in docs/protocol.md alone.
package viewtest

import (
	"slices"
	"unicode/utf16"

	"github.com/emendo-dev/emendo/agent/view"
)

// Fold is a conversation as a client has it. It counts in UTF-16.
type Fold struct {
	items map[string]view.Item
	below map[string][]string // by parent, in order
	// Questions are the open ones, the oldest first.
	Questions []view.Question
	hunks     map[string]view.HunkView
	// Status is that of the view, once it was sent as a change.
	Status view.Item
}

// New returns the fold of what a client was sent at first.
func New(items []view.Item) *Fold {
	f := &Fold{items: map[string]view.Item{}, below: map[string][]string{}, hunks: map[string]view.HunkView{}}
	for _, i := range items {
		f.put(i, view.After{})
	}
	return f
}

// Apply applies changes.
func (f *Fold) Apply(changes []view.Change) {
	for _, c := range changes {
		switch {
		case c.Item != nil:
			f.put(*c.Item, c.After)
		case c.Status != nil:
			f.Status = *c.Status
		case c.Hunk != nil:
			f.hunks[c.Hunk.ID] = *c.Hunk
		case c.Move != "":
			f.move(c)
		case c.Question != nil:
			f.ask(*c.Question, c.After)
		case c.Append != "":
			i := f.items[c.Append]
			i.Parts = slices.Clone(i.Parts)
			p := &i.Parts[c.Part]
			all := utf16.Encode([]rune(p.Text + c.Text))
			over := p.Omitted + len(all)
			p.Omitted = c.Omitted
			p.Text = string(utf16.Decode(all[len(all)-(over-c.Omitted):]))
			f.items[c.Append] = i
		}
		for _, id := range c.Drop {
			f.drop(id)
		}
	}
}

func (f *Fold) put(i view.Item, after view.After) {
	before, known := f.items[i.ID]
	if known && i.Parts == nil {
		i.Parts = before.Parts
	}
	if !known || after.Set {
		f.below[before.Parent] = slices.DeleteFunc(f.below[before.Parent], func(id string) bool { return known && id == i.ID })
		siblings := f.below[i.Parent]
		at := len(siblings)
		if after.Set {
			at = slices.Index(siblings, after.ID) + 1 // the first for an ID that there is not
		}
		f.below[i.Parent] = slices.Insert(siblings, at, i.ID)
	}
	f.items[i.ID] = i
}

// ask puts a question where it stands, or behind another one.
func (f *Fold) ask(q view.Question, after view.After) {
	index := func(id string) int {
		return slices.IndexFunc(f.Questions, func(o view.Question) bool { return o.ID == id })
	}
	f.Questions = slices.Clone(f.Questions)
	at := index(q.ID)
	switch {
	case at >= 0 && !after.Set:
		f.Questions[at] = q
		return
	case at >= 0:
		f.Questions = slices.Delete(f.Questions, at, at+1)
	}
	at = len(f.Questions)
	if after.Set {
		at = index(after.ID) + 1 // the first for an ID that there is not
	}
	f.Questions = slices.Insert(f.Questions, at, q)
}

// move moves the hunks of a document: each by the sum of all that begin at or before its line.
func (f *Fold) move(c view.Change) {
	for id, h := range f.hunks {
		if f.items[h.FileID].Place.URI != c.Move {
			continue
		}
		by := 0
		for _, l := range c.Lines {
			if l[0] <= h.Range.Start.Line {
				by += l[1]
			}
		}
		h.Range.Start.Line += by
		h.Range.End.Line += by
		if c.Version != nil {
			h.Version = c.Version
		}
		f.hunks[id] = h
	}
}

// SetHunks sets the hunks that the client was sent at first.
func (f *Fold) SetHunks(l []view.HunkView) {
	f.hunks = map[string]view.HunkView{}
	for _, h := range l {
		f.hunks[h.ID] = h
	}
}

// Hunks returns all hunks by their IDs.
func (f *Fold) Hunks() map[string]view.HunkView { return f.hunks }

func (f *Fold) drop(id string) {
	delete(f.hunks, id)
	f.Questions = slices.DeleteFunc(f.Questions, func(q view.Question) bool { return q.ID == id })
	i, known := f.items[id]
	if !known {
		return
	}
	for _, child := range slices.Clone(f.below[id]) {
		f.drop(child)
	}
	f.below[i.Parent] = slices.DeleteFunc(f.below[i.Parent], func(o string) bool { return o == id })
	delete(f.items, id)
}

// First returns the ID of the item of a page before which there may be more: the first that did
// not come along with what is below it. It is empty for an empty page.
func First(page []view.Item) string {
	first := ""
	for _, i := range page {
		if i.Parent != first {
			break
		}
		first = i.ID
	}
	return first
}

// Items returns all items in the order of the screen.
func (f *Fold) Items() []view.Item {
	l := []view.Item{}
	var walk func(parent string)
	walk = func(parent string) {
		for _, id := range f.below[parent] {
			l = append(l, f.items[id])
			walk(id)
		}
	}
	walk("")
	return l
}

// Earlier adds the page before the first item. What is known already stays as it is.
func (f *Fold) Earlier(page []view.Item) {
	last := map[string]string{} // by parent: the item of the page that was the last so far
	for _, i := range page {
		if _, known := f.items[i.ID]; !known {
			f.put(i, view.Behind(last[i.Parent]))
		}
		last[i.Parent] = i.ID
	}
}
