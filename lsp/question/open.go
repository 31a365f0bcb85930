package question

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"sync"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/lsp/client"
)

// open holds the questions that the user has not answered yet.
type open struct {
	mu   sync.Mutex
	list []*Question
}

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

	// Where the diagnostic is; guarded by the mutex of open.
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
func (l *open) add(ctx context.Context, q *Question) (context.Context, error) {
	q.answer, q.closed = make(chan string, 1), make(chan struct{})
	for {
		its, identical := l.tryAdd(ctx, q)
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
func (l *open) tryAdd(ctx context.Context, q *Question) (its context.Context, identical *Question) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, o := range l.list {
		if o.SessionID == q.SessionID && reflect.DeepEqual(o.about, q.about) {
			return nil, o
		}
	}
	its, q.withdraw = context.WithCancelCause(ctx)
	l.list = append(l.list, q)
	return its, nil
}

// remove removes a question that was answered or withdrawn, and returns the
// document that showed it.
func (l *open) remove(q *Question) (shownIn ide.URI) {
	q.withdraw(nil)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = slices.DeleteFunc(l.list, func(o *Question) bool { return o == q })
	close(q.closed)
	return q.uri
}

// all returns the open questions, the oldest first.
func (l *open) all() []*Question {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.list)
}

// place makes a document show a question; "" for none.
func (l *open) place(q *Question, u ide.URI, at int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	q.uri, q.at = u, at
}

// move is place for a question that the document shows already.
func (l *open) move(q *Question, u ide.URI, at int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if q.uri != u || q.at == at {
		return false
	}
	q.at = at
	return true
}

// placed reports whether a document shows the question.
func (l *open) placed(q *Question) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return q.uri != ""
}

// Asked is an open question at a line of a document.
type Asked struct {
	*Question
	Line ide.Range // without its indentation and line end
	Last uint32    // the last line at which it can be answered: the empty one after the text, too
}

// shownIn returns the questions that a document shows.
func (l *open) shownIn(d *ide.Document, enc ide.Encoding) []Asked {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []Asked
	for _, q := range l.list {
		if d != nil && q.uri == d.URI {
			line := client.LineAround(d.Text, min(q.at, d.Text.Len()), enc)
			last := line.Start.Line
			if n := d.Text.Lines() - 1; int(last) == n-1 && d.Text.LineStart(n) == d.Text.Len() {
				last++
			}
			out = append(out, Asked{q, line, last})
		}
	}
	return out
}

// follow keeps the questions at their lines while a document changes. Those of a
// closed document move to the cursor, or to the next document that is opened. It
// returns the documents whose diagnostics may have changed.
func (l *open) follow(e ide.Event, cursor func() (*ide.Document, int)) (changed []*ide.Document) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, q := range l.list {
		switch {
		case e.Kind == ide.Opened && q.uri == "" && q.marked:
			q.uri, q.at = e.After.URI, 0
			changed = append(changed, e.After)
		case e.Kind == ide.Changed && q.uri == e.After.URI:
			for _, s := range e.Splices {
				q.at = ide.NewMapping(s).Offset(q.at, true)
			}
			changed = append(changed, e.After)
		case e.Kind == ide.Closed && q.uri == e.Before.URI:
			q.uri, q.at = "", 0
			changed = append(changed, e.Before)
			if d, at := cursor(); d != nil {
				q.uri, q.at = d.URI, at
				changed = append(changed, d)
			}
		}
	}
	return changed
}
