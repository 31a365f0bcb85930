package present

import (
	"context"
	"sync"
	"time"

	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/agent/view/listing"
	"github.com/emendo-dev/emendo/internal/rpc"
	"github.com/emendo-dev/emendo/lsp/client"
)

// statusEvery is the shortest time between two differences that have the window's status or
// its welcome: docs/protocol.md promises it.
const statusEvery = 500 * time.Millisecond

// moveEvery is the shortest time between two differences that only move hunks:
// docs/protocol.md promises it.
const moveEvery = 100 * time.Millisecond

// window is the view of what is of no session, or of all.
type window struct {
	mu       sync.Mutex
	fold     *view.Window
	open     bool // the client has it, or it is on its way
	pages    int  // on their way
	asks     asksKnown
	version  int64
	seen     seen
	statusAt time.Time // when the status was sent
	movesAt  time.Time // when hunks that had only moved were

	news news
}

// PutItem adds an item to the window's view, or replaces the one with its ID.
func (v *Views) PutItem(i view.Item) {
	v.window.mu.Lock()
	v.window.fold.Put(i)
	v.window.mu.Unlock()
	v.c.Touch()
}

// DropItem removes an item of the window's view, with all that is below it.
func (v *Views) DropItem(id string) {
	v.window.mu.Lock()
	v.window.fold.Drop(id)
	v.window.mu.Unlock()
	v.c.Touch()
}

// getWindow answers emendo/view/get for the window, with at most so many hunks at a time; 0: all.
func (v *Views) getWindow(hunks int) (any, error) {
	if h := v.c.Host.Current(); h != nil {
		defer h.Agent.Process.Use()() // thousands of hunks are megabytes
	}
	w := &v.window
	v.sending.Lock() // what was taken before is queued before the view
	defer v.sending.Unlock()
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.open {
		w.open, w.asks, w.version = true, asksKnown{}, max(w.version, firstVersion())
		v.openHunks()
	}
	w.foldNews(true)
	w.pages++ // nothing is sent until the view is: it has all that has changed
	out := view.View{Version: w.version, Questions: v.asks.list(""), Verbs: view.Verbs()}
	out.Status, out.Items, out.Hunks = w.fold.Whole(hunks)
	w.asks.note(out.Questions, w.version)
	w.noteSeen()
	return rpc.Then{Result: out, Do: func() {
		w.mu.Lock()
		w.pages--
		w.mu.Unlock()
		v.c.Touch()
		v.c.Go(func() { // what stands in the way and what is open is known with the agent
			if _, err := v.c.Host.Get(v.c.Life()); err != nil {
				v.c.Log.Debug("no agent for the window's view", "error", err)
			}
		})
	}}, nil
}

// noteSeen notes what the client has with the version of the view. While it lacks hunks, nothing
// is decided that was not seen before. w.mu is held.
func (w *window) noteSeen() {
	if !w.fold.LacksHunks() {
		w.seen.note(w.version, w.fold.Seq())
	}
}

// WindowOpen reports whether the client has the window's view.
func (v *Views) WindowOpen() bool {
	v.window.mu.Lock()
	defer v.window.mu.Unlock()
	return v.window.open
}

// closeWindow ends the window's differences.
func (v *Views) closeWindow() {
	v.sending.Lock() // nothing is sent after that
	defer v.sending.Unlock()
	v.window.mu.Lock()
	defer v.window.mu.Unlock()
	v.window.open = false
	v.window.news.end()
	v.window.fold.ForgetHunks(view.Options{})
}

// sendWindow sends what has changed of the window's view, and returns how long until there is
// more to send; 0: nothing waits.
func (v *Views) sendWindow(now time.Time) (next time.Duration) {
	w := &v.window
	v.sending.Lock()
	defer v.sending.Unlock()
	questions := v.asks.list("")
	w.mu.Lock()
	if !w.open || w.pages > 0 {
		w.mu.Unlock()
		return 0
	}
	moveWait := moveEvery - now.Sub(w.movesAt)
	waits := w.foldNews(moveWait <= 0)
	due := w.fold.Changed()
	if wait := statusEvery - now.Sub(w.statusAt); due.Status && wait > 0 {
		due.Status, next = false, wait
	}
	if (due.Moves || waits) && moveWait > 0 {
		due.Moves, next = false, sooner(next, moveWait)
	}
	if due == (view.Due{}) && w.asks.has(questions) {
		w.mu.Unlock()
		return next
	}
	if due.Status {
		w.statusAt = now
	}
	if due.Moves {
		w.movesAt = now
	}
	changes := append(w.fold.Changes(due), w.asks.changes(questions, w.version+1)...)
	if len(changes) > 0 {
		w.version++
	}
	w.noteSeen()
	if w.fold.LacksHunks() {
		next = time.Nanosecond // they come behind what else there is to send
	}
	p := didChange{"", w.version, changes}
	w.mu.Unlock()
	if len(changes) > 0 {
		v.c.Notify(context.WithoutCancel(v.c.Life()), "emendo/view/didChange", p)
	}
	return next
}

// windowItem answers emendo/view/item for the window.
func (v *Views) windowItem(id string) (any, error) {
	v.window.mu.Lock()
	defer v.window.mu.Unlock()
	v.window.foldNews(true)
	if h, ok := v.window.fold.Hunk(id); ok {
		return foundItem{Hunk: &h}, nil
	}
	if i, ok := v.window.fold.Item(id); ok {
		return foundItem{Item: &i}, nil
	}
	if a := v.asks.find(id); a != nil {
		return foundItem{Question: &a.q}, nil
	}
	return nil, client.Invalid("there is no %s in the window's view; it may have been removed", id)
}

// targetInWindow finds what an action of the window's view is to be done with.
func (v *Views) targetInWindow(ctx context.Context, p actParams) (target, error) {
	v.window.mu.Lock()
	err := checkVersion(p.Version, v.window.version)
	v.window.foldNews(true)
	hunk, isHunk := v.window.fold.Hunk(p.ID)
	item, isItem := v.window.fold.Item(p.ID)
	v.window.mu.Unlock()
	switch {
	case err != nil:
		return target{}, err
	case isHunk:
		return target{Kind: kindHunk, Actions: hunk.Actions}, nil
	case isItem:
		return target{Kind: string(item.Kind), Actions: item.Actions, Item: item}, nil
	}
	if _, actions, ok := v.decided(p.ID); ok {
		return target{Kind: kindDecided, Actions: actions}, nil
	}
	if _, isGroup := v.groups.find(p.ID); isGroup {
		return target{Kind: kindGroup, Actions: []view.Action{view.Verb(view.Reopen)}}, nil
	}
	if found, isComment := findComment(v, p.ID); isComment {
		return target{Kind: kindComment, Actions: view.CommentEntry(found).Actions}, nil
	}
	if found, isListed := v.lists.Find(ctx, p.ID); isListed {
		return target{Kind: kindListed, Actions: found.Actions}, nil
	}
	if p.ActionID == listing.Revoke { // of a rule; that there is one is known when it is removed
		return target{Kind: kindRule, Actions: []view.Action{{ID: listing.Revoke}}}, nil
	}
	return v.sessionTarget(ctx, p.ID)
}
