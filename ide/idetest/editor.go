// Package idetest is an editor for tests: buffers with versions, undo and redo
// stacks, typing, and the ways in which real editors respond to an edit. It
// notifies an [ide.Workspace] as a front end would, and knows nothing of any wire.
package idetest

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/emendo-dev/emendo/ide"
)

// Answer is what the editor does with an edit. The zero value makes the edit and
// notifies the workspace before it answers.
type Answer struct {
	Before    func()        // called first: the user types while the edit is on its way
	Refuse    error         // do not make the edit, and answer this
	Lie       bool          // do not make the edit, and answer as if it were made
	Echo      time.Duration // notify this long after the answer
	Late      time.Duration // make the edit and notify this long after the answer, if the versions still match
	Pieces    time.Duration // notify of deletions before the answer, of insertions this long after it
	Never     bool          // make the edit and notify, but never answer
	AfterEcho func()        // called between notification and answer
}

// Editor implements [ide.Editor] for a workspace. Its methods are safe for
// concurrent use. Notifications of the workspace are in order.
type Editor struct {
	Workspace *ide.Workspace
	// OnEdit returns the answer to the n-th edit, from zero. nil: the zero Answer.
	OnEdit func(n int, e ide.Edit) Answer
	// OnMade is called when an edit is made, before anything else happens to
	// the buffers. It must not call the editor.
	OnMade func(ide.Edit)
	// Whole sends every change as the whole text, Merged as one range from the
	// first change to the last.
	Whole, Merged bool
	// Problems returns the diagnostics in the protocol's form; nil: not supported.
	Problems func(uris []ide.URI) json.RawMessage
	// Answers has the answers of the editor's language servers by method.
	Answers map[string]json.RawMessage

	mu    sync.Mutex
	bufs  map[ide.URI]*buffer
	undo  []step
	redo  []step
	edits []ide.Edit
	queue []func() // notifications that were not sent yet
	held  int      // edits whose notification is delayed
	split bool     // the current edit is sent in two pieces

	wire  sync.Mutex // held while the workspace is notified
	later sync.WaitGroup
}

type buffer struct {
	uri     string
	version int32
	text    string
}

// step is one entry of the undo stack: texts before and after.
type step struct {
	label         string
	before, after map[ide.URI]string
}

// New returns an editor without open documents.
func New(w *ide.Workspace) *Editor {
	return &Editor{Workspace: w, bufs: map[ide.URI]*buffer{}}
}

// Wait returns when everything that was delayed has happened.
func (e *Editor) Wait() { e.later.Wait() }

// Open opens a document with a text.
func (e *Editor) Open(uri, text string) {
	e.do(func() {
		b := &buffer{uri, 1, text}
		e.bufs[ide.ParseURI(uri)] = b
		e.say(func() { e.Workspace.Open(uri, "go", 1, text) })
	})
}

// Close closes a document and discards its unsaved text and its undo steps.
func (e *Editor) Close(uri string) {
	e.do(func() { e.close(ide.ParseURI(uri)) })
}

func (e *Editor) close(u ide.URI) {
	b := e.bufs[u]
	if b == nil {
		return
	}
	delete(e.bufs, u)
	touches := func(s step) bool { _, ok := s.before[u]; return ok }
	e.undo, e.redo = slices.DeleteFunc(e.undo, touches), slices.DeleteFunc(e.redo, touches)
	e.say(func() { must(e.Workspace.Close(b.uri)) })
}

// SaveFile writes a document to disk as UTF-8.
func (e *Editor) SaveFile(uri string) {
	e.do(func() {
		b := e.bufs[ide.ParseURI(uri)]
		must(os.WriteFile(ide.ParseURI(uri).Path(), []byte(b.text), 0o644))
		e.say(func() { must(e.Workspace.Save(b.uri)) })
	})
}

// Text returns a document's text as the user sees it.
func (e *Editor) Text(uri string) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	if b := e.bufs[ide.ParseURI(uri)]; b != nil {
		return b.text
	}
	return ""
}

// IsOpen reports whether a document is open.
func (e *Editor) IsOpen(uri string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.bufs[ide.ParseURI(uri)] != nil
}

// Type replaces the bytes a to b as the user would, in one undo step.
func (e *Editor) Type(uri string, a, b int, text string) {
	e.do(func() { e.change("typing", map[ide.URI][]ide.Splice{ide.ParseURI(uri): {{A: a, B: b, Text: text}}}) })
}

// Undo undoes the last step and returns its label, or "".
func (e *Editor) Undo() (label string) {
	e.do(func() { label = e.travel(&e.undo, &e.redo, false) })
	return label
}

// Redo redoes the last step that was undone.
func (e *Editor) Redo() (label string) {
	e.do(func() { label = e.travel(&e.redo, &e.undo, true) })
	return label
}

func (e *Editor) travel(from, to *[]step, forth bool) string {
	n := len(*from) - 1
	if n < 0 {
		return ""
	}
	s := (*from)[n]
	*from, *to = (*from)[:n], append(*to, s)
	texts := s.before
	if forth {
		texts = s.after
	}
	for _, u := range sorted(texts) {
		if b := e.bufs[u]; b != nil {
			e.put(b, delta(b.text, texts[u]))
		}
	}
	return s.label
}

// Edits returns the edits that were requested, including refused ones.
func (e *Editor) Edits() []ide.Edit {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.edits)
}

// ApplyEdit implements [ide.Editor]. An edit from another version than the buffer's
// is refused.
func (e *Editor) ApplyEdit(ctx context.Context, edit ide.Edit) error {
	e.mu.Lock()
	n := len(e.edits)
	e.edits = append(e.edits, edit)
	e.mu.Unlock()
	var a Answer
	if e.OnEdit != nil {
		a = e.OnEdit(n, edit)
	}
	if a.Before != nil {
		a.Before()
	}
	switch {
	case a.Refuse != nil:
		return a.Refuse
	case a.Lie:
		return nil
	case a.Late > 0:
		e.afterwards(a.Late, func() { _ = e.make(edit) })
		return nil
	case a.Echo > 0:
		e.mu.Lock()
		e.held++
		e.mu.Unlock()
		err := e.make(edit)
		e.afterwards(a.Echo, func() { e.do(func() { e.held-- }) })
		return err
	}
	if a.Pieces > 0 {
		e.mu.Lock()
		e.split = true
		e.mu.Unlock()
		err := e.make(edit)
		e.mu.Lock()
		e.split = false
		e.mu.Unlock()
		if err == nil {
			e.afterwards(a.Pieces, func() { e.do(func() { e.held-- }) })
		}
		return err
	}
	err := e.make(edit)
	if a.AfterEcho != nil {
		a.AfterEcho()
	}
	if a.Never {
		<-ctx.Done()
		return context.Cause(ctx)
	}
	return err
}

// afterwards runs f after d; [Editor.Wait] waits for it.
func (e *Editor) afterwards(d time.Duration, f func()) {
	e.later.Add(1)
	time.AfterFunc(d, func() {
		defer e.later.Done()
		f()
	})
}

// make makes an edit if every version matches.
func (e *Editor) make(edit ide.Edit) (err error) {
	e.do(func() {
		splices := map[ide.URI][]ide.Splice{}
		for _, f := range edit.Files {
			b := e.bufs[f.Document.URI]
			if b == nil || b.version != f.Document.Version {
				err = fmt.Errorf("%w: it was made from another version of %s", ide.ErrRefused, f.Document.URI)
				return
			}
			if len(f.Splices) > 0 {
				splices[f.Document.URI] = f.Splices
			}
		}
		if len(splices) > 0 {
			e.change(edit.Label, splices)
		}
		if e.OnMade != nil {
			e.OnMade(edit)
		}
		for _, f := range edit.Files {
			switch {
			case f.Delete:
				must(os.Remove(f.Document.Path))
				e.close(f.Document.URI)
			case f.RenameTo != "":
				text := e.bufs[f.Document.URI].text
				must(os.MkdirAll(filepath.Dir(f.RenameTo), 0o755))
				must(os.Rename(f.Document.Path, f.RenameTo))
				e.close(f.Document.URI)
				u := ide.FileURI(f.RenameTo)
				e.bufs[u] = &buffer{string(u), 1, text}
				e.say(func() { e.Workspace.Open(string(u), "go", 1, text) })
			}
		}
	})
	return err
}

// change changes buffers in one undo step. e.mu is held.
func (e *Editor) change(label string, splices map[ide.URI][]ide.Splice) {
	s := step{label, map[ide.URI]string{}, map[ide.URI]string{}}
	for _, u := range sorted(splices) {
		b := e.bufs[u]
		s.before[u] = b.text
		if e.split {
			splices[u] = e.remove(b, splices[u])
		}
	}
	if e.split {
		e.say(func() {
			e.mu.Lock()
			defer e.mu.Unlock()
			e.held++
		})
	}
	for _, u := range sorted(splices) {
		b := e.bufs[u]
		e.put(b, splices[u])
		s.after[u] = b.text
	}
	e.undo, e.redo = append(e.undo, s), nil
}

// remove deletes the text that splices replace, and returns splices that insert
// the new text.
func (e *Editor) remove(b *buffer, splices []ide.Splice) []ide.Splice {
	var gone, rest []ide.Splice
	moved := 0
	for _, s := range splices {
		gone = append(gone, ide.Splice{A: s.A, B: s.B})
		rest = append(rest, ide.Splice{A: s.A - moved, B: s.A - moved, Text: s.Text})
		moved += s.B - s.A
	}
	e.put(b, gone)
	return rest
}

// put changes a buffer and queues the notification.
func (e *Editor) put(b *buffer, splices []ide.Splice) {
	old := b.text
	b.text = ide.NewText(old).Replace(splices).String()
	if b.text == old && len(splices) == 0 {
		return
	}
	b.version++
	uri, version, text := b.uri, b.version, b.text
	whole, merged := e.Whole, e.Merged
	e.say(func() { must(e.Workspace.Change(uri, version, e.changes(old, text, splices, whole, merged))) })
}

// changes returns a change in the form that the editor sends.
func (e *Editor) changes(old, text string, splices []ide.Splice, whole, merged bool) []ide.Change {
	if whole {
		return []ide.Change{{Text: text}}
	}
	if merged && len(splices) > 1 {
		a, b := splices[0].A, splices[len(splices)-1].B
		splices = []ide.Splice{{A: a, B: b, Text: text[a : len(text)-(len(old)-b)]}}
	}
	was := ide.NewText(old)
	var l []ide.Change
	for _, s := range slices.Backward(splices) { // from the end, so that ranges stay valid
		r := was.Range(s.A, s.B, e.Workspace.Encoding())
		l = append(l, ide.Change{Range: &r, Text: s.Text})
	}
	return l
}

func (e *Editor) say(f func()) { e.queue = append(e.queue, f) }

// do runs f as the editor's event loop would, then notifies the workspace, unless a
// notification is delayed.
func (e *Editor) do(f func()) {
	e.mu.Lock()
	f()
	e.mu.Unlock()
	e.wire.Lock()
	defer e.wire.Unlock()
	for {
		e.mu.Lock()
		if e.held > 0 || len(e.queue) == 0 {
			e.mu.Unlock()
			return
		}
		f := e.queue[0]
		e.queue = e.queue[1:]
		e.mu.Unlock()
		f()
	}
}

// Save implements [ide.Editor].
func (e *Editor) Save(_ context.Context, uris []ide.URI) ([]ide.URI, error) {
	for _, u := range uris {
		e.SaveFile(string(u))
	}
	return uris, nil
}

// Diagnostics implements [ide.Editor].
func (e *Editor) Diagnostics(_ context.Context, uris []ide.URI) (json.RawMessage, error) {
	if e.Problems == nil {
		return nil, ide.ErrUnsupported
	}
	return e.Problems(uris), nil
}

// Passes implements [ide.LanguageServers].
func (e *Editor) Passes(method string) bool {
	_, ok := e.Answers[method]
	return ok || method == "textDocument/diagnostic" && e.Problems != nil
}

// Request implements [ide.LanguageServers].
func (e *Editor) Request(_ context.Context, method string, _, result any) error {
	answer, ok := e.Answers[method]
	if !ok {
		return ide.ErrUnsupported
	}
	return json.Unmarshal(answer, result)
}
