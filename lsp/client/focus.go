package client

import (
	"cmp"
	"slices"
	"sync"

	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/ide"
)

// Focus tracks where the user is: as the client reports it, or, for a client that
// never does, as its requests imply.
type Focus struct {
	server Server // nil: nobody is notified

	mu       sync.Mutex
	reported *frontend.Focus
	inferred frontend.Focus // without chat documents
	cursor   frontend.Focus // with them
}

// ContextParams are the params of emendo/editor/didChangeContext.
type ContextParams struct {
	Active *struct {
		URI        string      `json:"uri"`
		Selections []ide.Range `json:"selections"`
	} `json:"activeEditor"`
	Open []OpenEditor `json:"openEditors"`
}

// OpenEditor is one editor that the client has open.
type OpenEditor struct {
	URI         string `json:"uri"`
	LastFocused any    `json:"lastFocused"` // a time, or anything that grows with it
}

// DidChangeContext records what the client reports.
func (k *Focus) DidChangeContext(p ContextParams) error {
	slices.SortStableFunc(p.Open, func(a, b OpenEditor) int { return -compareTimes(a.LastFocused, b.LastFocused) })
	f := &frontend.Focus{}
	if p.Active != nil {
		f.Active, f.Selections = ide.ParseURI(p.Active.URI), p.Active.Selections
	}
	for _, o := range p.Open {
		if u := ide.ParseURI(o.URI); !u.IsChat() {
			f.Open = append(f.Open, u)
		}
	}
	k.mu.Lock()
	if f.Active.IsChat() {
		f.Active, f.Selections = "", nil
		if k.reported != nil {
			f.Active, f.Selections = k.reported.Active, k.reported.Selections
		}
	}
	k.reported = f
	k.mu.Unlock()
	k.moved()
	return nil
}

func (k *Focus) moved() {
	if k.server != nil {
		k.server.FocusMoved()
	}
}

// compareTimes compares times of the same JSON type. A time is later than none.
func compareTimes(a, b any) int {
	switch a := a.(type) {
	case string:
		b, _ := b.(string)
		return cmp.Compare(a, b)
	case float64:
		b, _ := b.(float64)
		return cmp.Compare(a, b)
	}
	if b != nil {
		return -1
	}
	return 0
}

// withChats is Current with chat documents, unless the client reports the focus.
func (k *Focus) withChats() frontend.Focus {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.reported != nil {
		return *k.reported
	}
	f := k.cursor
	f.Open = slices.Clone(f.Open)
	return f
}

// ChatDocument returns the chat document in which the user was last; empty if none is open.
func (k *Focus) ChatDocument() ide.URI {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, u := range k.cursor.Open {
		if u.IsChat() {
			return u
		}
	}
	return ""
}

// Current returns the current focus, which is never on a chat document: that is the
// conversation, not what it is about.
func (k *Focus) Current() frontend.Focus {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.reported != nil {
		return *k.reported
	}
	f := k.inferred
	f.Open = slices.Clone(f.Open)
	f.Inferred = true
	return f
}

// NoteRange records that the client asked about a range of a document.
func (k *Focus) NoteRange(u ide.URI, r ide.Range) {
	k.change(u, func(f *frontend.Focus) {
		moveToFront(f, u)
		f.Active, f.Selections = u, []ide.Range{r}
	})
}

// Opened records that the client opened a document. Helix 25.07 may ask about a
// document before it opens it.
func (k *Focus) Opened(u ide.URI) {
	k.change(u, func(f *frontend.Focus) {
		moveToFront(f, u)
		if f.Active != u {
			f.Active, f.Selections = u, nil
		}
	})
}

// Closed records that the client closed a document.
func (k *Focus) Closed(u ide.URI) {
	k.change(u, func(f *frontend.Focus) {
		f.Open = slices.DeleteFunc(f.Open, func(o ide.URI) bool { return o == u })
		if f.Active == u {
			f.Active, f.Selections = "", nil
		}
	})
}

// change records what the client did with a document.
func (k *Focus) change(u ide.URI, change func(*frontend.Focus)) {
	defer k.moved()
	k.mu.Lock()
	defer k.mu.Unlock()
	change(&k.cursor)
	if !u.IsChat() {
		change(&k.inferred)
	}
}

// moveToFront makes a document the most recently used one.
func moveToFront(f *frontend.Focus, u ide.URI) {
	if len(f.Open) > 0 && f.Open[0] == u {
		return
	}
	f.Open = slices.DeleteFunc(f.Open, func(o ide.URI) bool { return o == u })
	f.Open = slices.Insert(f.Open, 0, u)
}

// Cursor returns the document in which the user was last, and the offset there;
// nil when no document is open.
func (c *Client) Cursor() (*ide.Document, int) {
	f, now := c.Focus.withChats(), c.Workspace.Snapshot()
	if d := now.Document(f.Active); d != nil {
		if len(f.Selections) > 0 {
			if at, err := d.Text.Offset(f.Selections[0].Start, c.Workspace.Encoding()); err == nil {
				return d, at
			}
		}
		return d, 0
	}
	for _, u := range f.Open {
		if d := now.Document(u); d != nil {
			return d, 0
		}
	}
	return nil, 0
}
