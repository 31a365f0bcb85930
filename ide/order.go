package ide

import (
	"fmt"
	"slices"
	"time"
)

// Changes overtake each other within a time, and by a number of places.
const (
	maxOvertaking = time.Second
	mostOvertaken = 64
)

// An Order applies the changes of documents in the order of their versions. Helix 25.01
// sends each from a task of its own, so that those of fast typing overtake each other. A
// change that comes late is applied where it belongs, and those that overtook it again.
// The zero value is ready. It is used by one goroutine.
type Order struct{ recent map[URI][]arrived }

// arrived is a change with the text that it was applied to.
type arrived struct {
	version int32
	changes []Change
	before  *Text
	at      time.Time
}

// Forget forgets the changes of a document that was opened or closed.
func (o *Order) Forget(uri string) { delete(o.recent, ParseURI(uri)) }

// Change is [Workspace.Change] for changes that may come in the wrong order.
func (o *Order) Change(w *Workspace, uri string, version int32, changes []Change) error {
	u := ParseURI(uri)
	doc := w.Snapshot().Document(u)
	if doc == nil {
		return fmt.Errorf("change %s: the document is not open", uri)
	}
	if o.recent == nil {
		o.recent = map[URI][]arrived{}
	}
	now := time.Now()
	recent := slices.DeleteFunc(o.recent[u], func(a arrived) bool { return now.Sub(a.at) > maxOvertaking })
	i := slices.IndexFunc(recent, func(a arrived) bool { return a.version > version })
	if i < 0 {
		o.recent[u] = append(recent[max(0, len(recent)-mostOvertaken):], arrived{version, changes, doc.Text, now})
		return w.Change(uri, version, changes)
	}
	recent = slices.Insert(recent, i, arrived{version, changes, recent[i].before, now})
	o.recent[u] = recent
	text := recent[i].before
	for k := i; k < len(recent); k++ {
		recent[k].before = text
		if after, _, err := text.changed(recent[k].changes, w.encoding); err == nil { // else an earlier one is yet to come
			text = after
		}
	}
	return w.change(uri, recent[len(recent)-1].version, func(before *Text) (*Text, []Splice, error) {
		if before.String() == text.String() {
			return text, nil, nil
		}
		return text, []Splice{Splice{0, before.Len(), text.String()}.Trim(before)}, nil
	})
}

// changed returns the text with changes applied one after the other.
func (t *Text) changed(changes []Change, enc Encoding) (*Text, []Splice, error) {
	splices := make([]Splice, 0, len(changes))
	for _, c := range changes {
		s := Splice{0, t.Len(), c.Text}
		if c.Range != nil {
			var err error
			if s.A, s.B, err = t.Offsets(*c.Range, enc); err != nil {
				return nil, nil, err
			}
		}
		t = t.Splice(s.A, s.B, s.Text)
		splices = append(splices, s)
	}
	return t, splices, nil
}
