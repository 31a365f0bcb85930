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
	"github.com/emendo-dev/emendo/lsp/chat"
	"github.com/emendo-dev/emendo/lsp/client"
	"github.com/emendo-dev/emendo/lsp/present"
)

// Asker asks the user of a client.
type Asker struct {
	client    *client.Client
	chat      *chat.Chat
	views     *present.Views
	documents Documents

	mu      sync.Mutex
	open    []*Question        // those that the user has not answered yet, the oldest first
	changed map[ide.URI]string // the documents that show other questions than before, as the client spells them
}

// Documents are the chat documents of the sessions, for clients without emendo's own
// requests.
type Documents interface {
	// Asked notes that a question is open. It reports whether a line of an open document
	// asks it.
	Asked(q *Question) bool
	// Decided notes that a question is not open any more. choice is the ID of the user's
	// choice; empty: none.
	Decided(q *Question, choice string)
}

// New returns an Asker of questions about the sessions of chat.
func New(c *client.Client, chat *chat.Chat, views *present.Views, documents Documents) *Asker {
	return &Asker{client: c, chat: chat, views: views, documents: documents, changed: map[ide.URI]string{}}
}

// errCannotAsk is returned when a plain client has no way to show a question.
var errCannotAsk = errors.New("the client cannot show a question")

// decideLater is the first action of every question that a message asks, so that
// an Enter meant for something else decides nothing.
const decideLater = "Decide later"

// noteChanged notes that a document, unless it is nil, shows other questions than before. a.mu is
// held.
func (a *Asker) noteChanged(d *ide.Document) {
	if d != nil {
		a.changed[d.URI] = d.Spelling
		a.client.Touch()
	}
}

// TakeChanged returns the documents, as the client spells them, that show other questions
// than when it was called last.
func (a *Asker) TakeChanged() map[ide.URI]string {
	a.mu.Lock()
	defer a.mu.Unlock()
	l := a.changed
	a.changed = map[ide.URI]string{}
	return l
}

// Open returns the open questions, the oldest first.
func (a *Asker) Open() []*Question {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.open)
}

// Answer answers a question with the ID of a choice, unless it is answered
// already.
func (a *Asker) Answer(q *Question, id string) {
	select {
	case q.answer <- id:
		q.withdraw(errAnswered)
	default:
	}
}

// askPlainly asks the user of a client without emendo's own requests: by a
// diagnostic at the cursor, whose code actions answer, and by a message. The
// first answer withdraws the rest. It returns the ID of a choice, or "" when the
// user dismissed the message and nothing else shows the question.
func (a *Asker) askPlainly(ctx context.Context, q *Question) (choice string, err error) {
	asked := a.documents.Asked(q)
	defer func() { a.documents.Decided(q, choice) }()
	a.placeAtCursor(q)
	where := a.Where(q)
	if where != "" {
		a.chat.Turns.ShowInProgress(q.TurnID, where)
	}
	switch {
	case a.client.Can.Chooses():
		if id, later := a.askByMessage(ctx, q); id != "" || !later && !asked {
			return id, nil
		}
	case where != "":
		a.client.Warn(ctx, "emendo "+where)
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
	text := q.Text
	if !q.Elicits {
		text = "emendo asks: " + text
	}
	title, err := a.client.Choose(ctx, text, titles...)
	if err != nil && ctx.Err() == nil {
		a.client.Log.Warn("the editor did not show a question", "error", err)
	}
	if err == nil && title == decideLater { // even if the model offers a choice of that name
		if !a.isPlaced(q) {
			a.client.Info(ctx, "emendo is still waiting for your answer: open a file and use its code actions, or run emendo.permission. "+q.HowToAnswer())
		}
		return "", true
	}
	if i := slices.IndexFunc(q.Choices, func(c Choice) bool { return c.Title == title }); err == nil && i >= 0 {
		return q.Choices[i].ID, false
	}
	return "", ctx.Err() != nil || a.isPlaced(q)
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
	for _, d := range a.client.Workspace.Snapshot().Documents() {
		for _, o := range a.ShownIn(d) {
			if o.Question == q {
				return d.Spelling, o.Line
			}
		}
	}
	return "", ide.Range{}
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
