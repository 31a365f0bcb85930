package buffers

import (
	"sync"

	"github.com/emendo-dev/emendo/ide"
)

// table has the open documents of a workspace, and which of them had an event since when.
type table struct {
	mu  sync.Mutex
	now int64 // the number of the last event
	by  map[ide.URI]row
}

type row struct {
	doc *ide.Document
	at  int64 // the number of its last event
}

// newTable returns a table that follows a workspace.
func newTable(w *ide.Workspace) *table {
	t := &table{by: map[ide.URI]row{}, now: 1}
	w.Watch(t.event)
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, d := range w.Snapshot().Documents() { // events that come now wait, and then repeat some
		if d.URI.IsChat() {
			continue // it belongs to the process that converses in it
		}
		t.by[d.URI] = row{d, t.now}
	}
	return t
}

// event runs on the goroutine that changes the workspace.
func (t *table) event(e ide.Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if e.After != nil && e.After.URI.IsChat() {
		return
	}
	t.now++
	if e.After == nil {
		delete(t.by, e.Before.URI)
		return
	}
	t.by[e.After.URI] = row{e.After, t.now}
}

// renew makes all documents new to everyone.
func (t *table) renew() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.now++
	for u, x := range t.by {
		t.by[u] = row{x.doc, t.now}
	}
}

// documents returns what is open in files of which is is true.
func (t *table) documents(since int64, is func(path string) bool) documentsResult {
	t.mu.Lock()
	defer t.mu.Unlock()
	r := documentsResult{Now: t.now, Same: since == t.now}
	if r.Same {
		return r
	}
	for _, x := range t.by {
		if d := x.doc; d.Path != "" && is(d.Path) {
			r.Open = append(r.Open, document{URI: d.Spelling, Path: d.Path, Language: d.Language, Version: d.Version, Unsaved: d.Unsaved})
			if x.at > since {
				r.Open[len(r.Open)-1].Text = new(d.Text.String())
			}
		}
	}
	return r
}
