package present

import "github.com/emendo-dev/emendo/agent/view"

// A view is folded as far back as its client has asked for: what is before is read from the
// record of the session once it is wanted.

// pieceBytes is how much of a record is read at once: about what a page shows.
const pieceBytes = 512 << 10

// readBack folds some of what is before the fold. The view's lock is held.
func (o *opened) readBack() error {
	updates, err := o.past.ReadBack(pieceBytes)
	if err != nil {
		return err
	}
	if n := len(updates); n > 0 && o.seq == 0 {
		o.seq = updates[n-1].Seq
	}
	o.fold.Prepend(updates)
	return nil
}

// readTurn folds what came last, with a turn if there is one. The view is not shared yet.
func (o *opened) readTurn() error {
	for !o.fold.HasTurns() && o.past.Earlier() {
		if err := o.readBack(); err != nil {
			return err
		}
	}
	return nil
}

// readPage returns a page of the view, and whether something is before it. The view's lock is held.
func (o *opened) readPage(p view.Page) (items []view.Item, earlier bool, err error) {
	items, earlier = o.fold.Page(p)
	for !earlier && o.past.Earlier() {
		if err := o.readBack(); err != nil {
			return nil, false, err
		}
		items, earlier = o.fold.Page(p)
	}
	return items, earlier, nil
}

// readTo folds what is before the fold, unless it has the item. Others have their turn meanwhile.
func (o *opened) readTo(id string) error {
	for {
		o.mu.Lock()
		_, known := o.item(id)
		if known || !o.past.Earlier() {
			o.mu.Unlock()
			return nil
		}
		err := o.readBack()
		o.mu.Unlock()
		if err != nil {
			return err
		}
	}
}

// readAll folds all that is before the fold.
func (o *opened) readAll() error { return o.readTo("") }
