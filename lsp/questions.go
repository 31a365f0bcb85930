package lsp

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"sync"

	"github.com/emendo-dev/emendo/ide"
)

// questions are those that the user has not answered yet. The command
// emendo.permission answers them too.
type questions struct {
	mu   sync.Mutex
	list []*question
}

// question asks for permission for a call, or is one that the model asks.
type question struct {
	sessionID, turnID, callID string

	about   any    // questions that are about equal things are identical
	task    string // in a few words
	text    string // in full
	choices []choice
	marked  bool // diagnostics show it, where a document is open

	answer   chan string // the ID of a choice, from a command; room for one
	withdraw context.CancelCauseFunc
	closed   chan struct{}

	// Where the diagnostic is; guarded by the questions' mutex.
	uri ide.URI // "": nowhere
	at  int     // offset in the document's text
}

// choice is one way to answer.
type choice struct {
	id, title string
}

// errAnswered says why a question is withdrawn from the client.
var errAnswered = errors.New("the question was answered by a command")

// open adds a question. It waits while an identical one is open: an answer once
// is for one call. The context ends when a command answers the question.
func (l *questions) open(ctx context.Context, q *question) (context.Context, error) {
	q.answer, q.closed = make(chan string, 1), make(chan struct{})
	for {
		its, before := l.add(ctx, q)
		if before == nil {
			return its, nil
		}
		select {
		case <-before.closed:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// add adds a question, or returns the identical one that is open.
func (l *questions) add(ctx context.Context, q *question) (its context.Context, before *question) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, o := range l.list {
		if o.sessionID == q.sessionID && reflect.DeepEqual(o.about, q.about) {
			return nil, o
		}
	}
	its, q.withdraw = context.WithCancelCause(ctx)
	l.list = append(l.list, q)
	return its, nil
}

// close removes a question that was answered or withdrawn, and returns the
// document that showed it.
func (l *questions) close(q *question) (shownIn ide.URI) {
	q.withdraw(nil)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = slices.DeleteFunc(l.list, func(o *question) bool { return o == q })
	close(q.closed)
	return q.uri
}

// all returns the open questions, the oldest first.
func (l *questions) all() []*question {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.list)
}

// give answers a question, unless that was done before.
func (l *questions) give(q *question, id string) {
	select {
	case q.answer <- id:
		q.withdraw(errAnswered)
	default:
	}
}

// place has a document show a question, or none.
func (l *questions) place(q *question, u ide.URI, at int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	q.uri, q.at = u, at
}

// placed reports whether a document shows the question.
func (l *questions) placed(q *question) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return q.uri != ""
}

// asked is an open question at a line of a document.
type asked struct {
	*question
	line ide.Range // without its indentation and its end
	last uint32    // line at which it can be answered: the one behind the last line, too
}

// in returns the questions that a document shows, as it is now.
func (l *questions) in(d *ide.Document, enc ide.Encoding) []asked {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []asked
	for _, q := range l.list {
		if d != nil && q.uri == d.URI {
			line := lineAround(d.Text, min(q.at, d.Text.Len()), enc)
			last := line.Start.Line
			if n := d.Text.Lines() - 1; int(last) == n-1 && d.Text.LineStart(n) == d.Text.Len() {
				last++
			}
			out = append(out, asked{q, line, last})
		}
	}
	return out
}

// follow keeps the questions at their lines while a document changes. Those of
// a document that is closed go to another one, or wait for the next that is
// opened. It returns the documents in which something may look different.
func (l *questions) follow(e ide.Event, elsewhere func() (*ide.Document, int)) (touched []*ide.Document) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, q := range l.list {
		switch {
		case e.Kind == ide.Opened && q.uri == "" && q.marked:
			q.uri, q.at = e.After.URI, 0
			touched = append(touched, e.After)
		case e.Kind == ide.Changed && q.uri == e.After.URI:
			for _, s := range e.Splices {
				q.at = shifted(q.at, s)
			}
			touched = append(touched, e.After)
		case e.Kind == ide.Closed && q.uri == e.Before.URI:
			q.uri, q.at = "", 0
			touched = append(touched, e.Before)
			if d, at := elsewhere(); d != nil {
				q.uri, q.at = d.URI, at
				touched = append(touched, d)
			}
		}
	}
	return touched
}

// shifted returns where an offset is after a splice.
func shifted(at int, s ide.Splice) int {
	switch {
	case at >= s.B && s.B > s.A || at > s.B:
		return at + len(s.Text) - (s.B - s.A)
	case at > s.A:
		return s.A
	}
	return at
}
