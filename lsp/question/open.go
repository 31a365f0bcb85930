package question

import (
	"context"
	"errors"
	"reflect"
	"slices"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/lsp/client"
)

// Question asks for permission for a call, or is one that the model asks.
type Question struct {
	asker *Asker

	SessionID, TurnID, CallID string
	Task                      string // in a few words
	Text                      string // in full
	Choices                   []Choice
	Elicits                   bool // it is one of the model's or of a server's questions, not one for permission

	about  any  // questions about equal things are identical
	marked bool // diagnostics show it, where a document is open

	answer   chan string // the ID of a choice, from a command; has room for one
	withdraw context.CancelCauseFunc
	closed   chan struct{}

	// Where the diagnostic is; guarded by the mutex of the asker.
	uri ide.URI // "": nowhere
	at  int     // offset in the document's text
}

// Choice is one way to answer.
type Choice struct {
	ID, Title string
}

// errAnswered is the cause of the context of a question that a command answered.
var errAnswered = errors.New("the question was answered by a command")

// add adds a question. While an identical one is open it waits, since an answer
// covers one call only. The context that it returns ends when a command answers
// the question.
func (a *Asker) add(ctx context.Context, q *Question) (context.Context, error) {
	q.answer, q.closed = make(chan string, 1), make(chan struct{})
	for {
		its, identical := a.tryAdd(ctx, q)
		if identical == nil {
			return its, nil
		}
		select {
		case <-identical.closed:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// tryAdd adds a question, or returns the identical one that is open.
func (a *Asker) tryAdd(ctx context.Context, q *Question) (its context.Context, identical *Question) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, o := range a.open {
		if o.SessionID == q.SessionID && reflect.DeepEqual(o.about, q.about) {
			return nil, o
		}
	}
	its, q.withdraw = context.WithCancelCause(ctx)
	a.open = append(a.open, q)
	return its, nil
}

// close ends a question and removes its diagnostic.
func (a *Asker) close(q *Question) {
	q.withdraw(nil)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.open = slices.DeleteFunc(a.open, func(o *Question) bool { return o == q })
	close(q.closed)
	a.noteChanged(a.client.Workspace.Snapshot().Document(q.uri))
}

// placeAtCursor places the diagnostic of a question where the user is. Without an open
// document the next one that is opened shows it.
func (a *Asker) placeAtCursor(q *Question) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if d, at := a.client.Cursor(); d != nil && q.marked {
		q.uri, q.at = d.URI, at
		a.noteChanged(d)
	}
}

// MoveTo moves the diagnostic of a question that is in a document to another place
// there: a line of it asks the question, too.
func (q *Question) MoveTo(u ide.URI, at int) {
	a := q.asker
	a.mu.Lock()
	defer a.mu.Unlock()
	if q.uri == u && q.at != at {
		q.at = at
		a.noteChanged(a.client.Workspace.Snapshot().Document(u))
	}
}

// isPlaced reports whether a document shows the question.
func (a *Asker) isPlaced(q *Question) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return q.uri != ""
}

// Asked is an open question at a line of a document.
type Asked struct {
	*Question
	Line ide.Range // without its indentation and line end
	Last uint32    // the last line at which it can be answered: the empty one after the text, too
}

// ShownIn returns the open questions that a document shows.
func (a *Asker) ShownIn(d *ide.Document) []Asked {
	a.mu.Lock()
	defer a.mu.Unlock()
	var out []Asked
	for _, q := range a.open {
		if d != nil && q.uri == d.URI {
			line := client.LineAround(d.Text, min(q.at, d.Text.Len()), a.client.Workspace.Encoding())
			last := line.Start.Line
			if n := d.Text.Lines() - 1; int(last) == n-1 && d.Text.LineStart(n) == d.Text.Len() {
				last++
			}
			out = append(out, Asked{q, line, last})
		}
	}
	return out
}

// Follow keeps the diagnostics of questions at their lines while a document changes. Those
// of a closed document move to the cursor, or to the next document that is opened.
func (a *Asker) Follow(e ide.Event) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, q := range a.open {
		switch {
		case e.Kind == ide.Opened && q.uri == "" && q.marked:
			q.uri, q.at = e.After.URI, 0
			a.noteChanged(e.After)
		case e.Kind == ide.Changed && q.uri == e.After.URI:
			for _, s := range e.Splices {
				q.at = ide.NewMapping(s).Offset(q.at, true)
			}
			a.noteChanged(e.After)
		case e.Kind == ide.Closed && q.uri == e.Before.URI:
			q.uri, q.at = "", 0
			a.noteChanged(e.Before)
			if d, at := a.client.Cursor(); d != nil {
				q.uri, q.at = d.URI, at
				a.noteChanged(d)
			}
		}
	}
}
