package view

import (
	"encoding/json"
	"maps"
	"slices"
)

// Page asks for the newest items, or those before one.
type Page struct {
	Before string // an item; empty: to the end
	Items  int    // at most
	Bytes  int    // at most, of their wire form; one item is sent in any case
	Bodies bool
}

// Page returns items in the order of the screen, those above them included, and reports
// whether there are earlier ones. From now on [Conversation.Changes] has what changes of them.
// What the client has already it may keep: what has changed of that is in Changes too. [Fill]
// may have to read texts.
func (c *Conversation) Page(p Page) (items []Item, earlier bool) {
	all := c.all()
	if p.Before == "" { // the client has nothing yet
		for _, e := range all {
			e.known, e.fresh, e.placed, e.change, e.from = false, false, false, same, nil
			e.leave(c.o.Encoding)
		}
		c.changed, c.dropped = nil, nil
	}
	end := len(all)
	if p.Before != "" { // before one that is not there is nothing
		end = max(0, slices.IndexFunc(all, func(e *entry) bool { return e.ID == p.Before }))
	}
	first, size := end, 0
	chosen := map[*entry]Item{}
	for first > 0 && len(chosen) < p.Items {
		e := all[first-1]
		added := map[*entry]Item{} // it, and those above it that are not chosen yet
		for o := e; o != nil; o = o.parent {
			if _, have := chosen[o]; !have {
				added[o] = c.shown(o, p.Bodies)
				size += wireSize(added[o])
			}
		}
		if size > p.Bytes && len(chosen) > 0 {
			break
		}
		first--
		maps.Copy(chosen, added)
	}
	items = []Item{}
	for _, e := range all[:end] {
		if i, ok := chosen[e]; ok {
			items = append(items, i)
			if e.known && e.change != same {
				e.change, e.from = whole, nil // right also for a client that takes it from the page
			} else {
				c.isKnown(e)
			}
		}
	}
	return items, slices.ContainsFunc(all[:first], func(e *entry) bool { _, ok := chosen[e]; return !ok })
}

// isKnown notes that the client has an item as it is.
func (c *Conversation) isKnown(e *entry) {
	e.known, e.fresh, e.placed, e.change, e.from = true, false, false, same, nil
	c.changed = slices.DeleteFunc(c.changed, func(o *entry) bool { return o == e })
	e.leave(c.o.Encoding)
}

// wireSize returns about how many bytes an item is on the wire.
func wireSize(i Item) int {
	b, err := json.Marshal(i)
	if err != nil {
		panic(err) // plain values encode
	}
	n := len(b)
	for _, p := range i.Parts {
		if p.Stored != nil {
			n += p.Stored.Bytes
		}
	}
	return n
}
