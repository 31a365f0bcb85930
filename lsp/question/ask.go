// Package question asks the user for permission and what the model wants to know:
// by emendo's own requests where the client declared them, else by a diagnostic
// at the cursor whose code actions answer, and by messages.
package question

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/lsp/client"
)

// Asker asks the user of a client.
type Asker struct {
	Client *client.Client
	// Changed is called with a document that shows other questions than before.
	Changed func(*ide.Document)
	// Touch is called when a session begins or ends to wait for an answer.
	Touch func()
	// Say shows a message in the progress of a turn.
	Say func(turnID, message string)
	// Asked is called with a question of a client without emendo's own requests, and
	// Decided with the ID of the choice when it is not open any more; empty: none.
	// Asked reports whether a line of an open chat document asks it.
	Asked   func(*Question) bool
	Decided func(q *Question, choice string)

	open open

	mu      sync.Mutex
	waiting map[string]int // open questions and questionnaires, by session
}

// errCannotAsk is returned when a plain client has no way to show a question.
var errCannotAsk = errors.New("the client cannot show a question")

// decideLater is the first action of every question that a message asks, so that
// an Enter meant for something else decides nothing.
const decideLater = "Decide later"

// begin counts a session as waiting until end is called.
func (a *Asker) begin(sessionID string) (end func()) {
	count := func(by int) {
		a.mu.Lock()
		if a.waiting == nil {
			a.waiting = map[string]int{}
		}
		if a.waiting[sessionID] += by; a.waiting[sessionID] == 0 {
			delete(a.waiting, sessionID)
		}
		a.mu.Unlock()
		a.Touch()
	}
	count(1)
	return func() { count(-1) }
}

// Waits reports whether a session waits for an answer.
func (a *Asker) Waits(sessionID string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.waiting[sessionID] > 0
}

// Open returns the open questions, the oldest first.
func (a *Asker) Open() []*Question { return a.open.all() }

// In returns the open questions that a document shows.
func (a *Asker) In(d *ide.Document) []Asked { return a.open.in(d, a.Client.Workspace.Encoding()) }

// Answer answers a question with the ID of a choice, unless it is answered
// already.
func (a *Asker) Answer(q *Question, id string) {
	select {
	case q.answer <- id:
		q.withdraw(errAnswered)
	default:
	}
}

// Follow keeps the diagnostics of questions at their lines.
func (a *Asker) Follow(e ide.Event) {
	for _, d := range a.open.follow(e, a.Client.Cursor) {
		a.Changed(d)
	}
}

// askPlainly asks the user of a client without emendo's own requests: by a
// diagnostic at the cursor, whose code actions answer, and by a message. The
// first answer withdraws the rest. It returns the ID of a choice, or "" when the
// user dismissed the message and nothing else shows the question.
func (a *Asker) askPlainly(ctx context.Context, q *Question) (choice string, err error) {
	asked := a.Asked(q)
	defer func() { a.Decided(q, choice) }()
	a.placeAtCursor(q)
	where := a.Where(q)
	if where != "" {
		a.Say(q.TurnID, where)
	}
	switch {
	case a.Client.Can.MessageRequest:
		if id, later := a.askByMessage(ctx, q); id != "" || !later && !asked {
			return id, nil
		}
	case where != "":
		a.Client.Warn(ctx, "emendo "+where)
	case asked:
	default:
		return "", errCannotAsk
	}
	<-ctx.Done() // answered by a command, or the call was cancelled
	if errors.Is(context.Cause(ctx), errAnswered) {
		return <-q.answer, nil
	}
	return "", context.Cause(ctx)
}

// askByMessage asks by window/showMessageRequest. It returns the ID of a choice,
// or whether the question is still open.
func (a *Asker) askByMessage(ctx context.Context, q *Question) (id string, later bool) {
	titles := []string{decideLater}
	for _, c := range q.Choices {
		titles = append(titles, c.Title)
	}
	title, err := a.Client.Choose(ctx, q.Text, titles...)
	if err != nil && ctx.Err() == nil {
		a.Client.Log.Warn("the editor did not show a question", "error", err)
	}
	if err == nil && title == decideLater { // even if the model offers a choice of that name
		if !a.open.placed(q) {
			a.Client.Info(ctx, "emendo is still waiting for your answer: open a file and use its code actions, or run emendo.permission. "+q.HowToAnswer())
		}
		return "", true
	}
	if i := slices.IndexFunc(q.Choices, func(c Choice) bool { return c.Title == title }); err == nil && i >= 0 {
		return q.Choices[i].ID, false
	}
	return "", ctx.Err() != nil || a.open.placed(q)
}

// Where says in one line where a diagnostic shows a question; "" when none does.
func (a *Asker) Where(q *Question) string {
	uri, line := a.Locate(q)
	if uri == "" {
		return ""
	}
	if ide.ParseURI(uri).IsChat() { // the line comes soon, or moves
		return fmt.Sprintf("asks in %s; answer with a code action on the line that asks: %s", path.Base(uri), q.Task)
	}
	return fmt.Sprintf("asks at %s, line %d; answer with a code action there: %s", path.Base(uri), line.Start.Line+1, q.Task)
}

// Locate returns where a diagnostic shows a question; "" when none does.
func (a *Asker) Locate(q *Question) (uri string, line ide.Range) {
	for _, d := range a.Client.Workspace.Snapshot().Documents() {
		for _, o := range a.In(d) {
			if o.Question == q {
				return d.Spelling, o.Line
			}
		}
	}
	return "", ide.Range{}
}

// Move moves the diagnostic of a question that is in a document to another place
// there: a line of it asks the question, too.
func (a *Asker) Move(q *Question, u ide.URI, at int) {
	if a.open.move(q, u, at) {
		if d := a.Client.Workspace.Snapshot().Document(u); d != nil {
			a.Changed(d)
		}
	}
}

// placeAtCursor places the diagnostic of a question where the user is. Without an
// open document it waits for the next one that is opened.
func (a *Asker) placeAtCursor(q *Question) {
	for q.marked {
		d, at := a.Client.Cursor()
		if d == nil {
			a.open.place(q, "", 0) // the next document to be opened shows it
			if d, _ = a.Client.Cursor(); d == nil {
				return
			}
			continue // opened meanwhile
		}
		a.open.place(q, d.URI, at)
		if a.Client.Workspace.Snapshot().Document(d.URI) != nil { // else closed meanwhile
			a.Changed(d)
			return
		}
	}
}

// close ends a question and removes its diagnostic.
func (a *Asker) close(q *Question) {
	if d := a.Client.Workspace.Snapshot().Document(a.open.remove(q)); d != nil {
		a.Changed(d)
	}
}

// Message returns the text of the diagnostic of a question.
func (q *Question) Message() string {
	text := client.WithLength(q.Text) + "\n\nAnswer with a code action on this line: " + q.Titles()
	for strings.Contains(text, "\n\n") { // editors have little space for a diagnostic
		text = strings.ReplaceAll(text, "\n\n", "\n")
	}
	return text
}

// Titles returns the titles of the choices, separated by slashes.
func (q *Question) Titles() string {
	var titles []string
	for _, c := range q.Choices {
		titles = append(titles, c.Title)
	}
	return strings.Join(titles, " / ")
}

// HowToAnswer describes the command that answers the question.
func (q *Question) HowToAnswer() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Answer with emendo.permission {\"sessionId\": %q, \"toolCallId\": %q, \"optionId\": …}. The options are:", q.SessionID, q.CallID)
	for _, c := range q.Choices {
		fmt.Fprintf(&b, "\n%s: %s", c.ID, c.Title)
	}
	return b.String()
}
