package lsp

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/ide"
)

// errCannotAsk says that a plain client can show a question nowhere.
var errCannotAsk = errors.New("the client cannot show a question")

// decideLater is the first action of every question that a message asks, so that
// Enter, typed for something else, decides nothing.
const decideLater = "Decide later"

// askPlainly asks the user of a client that has no way of emendo's own: by a
// diagnostic at the cursor, whose code actions answer, and by a message. The
// first answer withdraws the rest. It returns the ID of a choice, or "" when the
// user dismissed the message and nothing else shows the question.
func (s *server) askPlainly(ctx context.Context, q *question) (string, error) {
	s.placeAtCursor(q)
	where := s.whereAsked(q)
	if t := s.turns.find(q.turnID); t != nil && t.progress != nil && where != "" {
		t.progress.say(where)
	}
	switch {
	case s.can.messageRequest:
		if id, later := s.askByMessage(ctx, q); id != "" || !later {
			return id, nil
		}
	case where != "":
		s.tell(ctx, warningMessage, "emendo "+where)
	default:
		return "", errCannotAsk
	}
	<-ctx.Done() // by a command, or because the call was cancelled
	if errors.Is(context.Cause(ctx), errAnswered) {
		return <-q.answer, nil
	}
	return "", context.Cause(ctx)
}

// askByMessage asks by window/showMessageRequest. It returns the ID of a choice,
// or whether the question is still open.
func (s *server) askByMessage(ctx context.Context, q *question) (id string, later bool) {
	titles := []string{decideLater}
	for _, c := range q.choices {
		titles = append(titles, c.title)
	}
	title, err := s.choose(ctx, warningMessage, q.text, titles...)
	if err != nil && ctx.Err() == nil {
		s.log.Warn("the editor did not show a question", "error", err)
	}
	if err == nil && title == decideLater { // also where the model offers an answer of that name
		if !s.ask.placed(q) {
			s.tell(ctx, infoMessage, "emendo is still waiting for your answer: open a file and use its code actions, or run emendo.permission. "+howToAnswer(q))
		}
		return "", true
	}
	if i := slices.IndexFunc(q.choices, func(c choice) bool { return c.title == title }); err == nil && i >= 0 {
		return q.choices[i].id, false
	}
	return "", ctx.Err() != nil || s.ask.placed(q)
}

// whereAsked says in one line where a diagnostic shows a question; "" when none
// does.
func (s *server) whereAsked(q *question) string {
	at := s.locationOf(q)
	if at == nil {
		return ""
	}
	return fmt.Sprintf("asks at %s, line %d; answer with a code action there: %s", path.Base(at.URI), at.Range.Start.Line+1, q.task)
}

// locationOf returns where a diagnostic shows a question; nil when none does.
func (s *server) locationOf(q *question) *location {
	for _, d := range s.workspace.Snapshot().Documents() {
		for _, a := range s.ask.in(d, s.workspace.Encoding()) {
			if a.question == q {
				return &location{d.Spelling, a.line}
			}
		}
	}
	return nil
}

// placeAtCursor has the diagnostic of a question where the user is. Without an
// open document there is none, until one is opened.
func (s *server) placeAtCursor(q *question) {
	for q.marked {
		d, at := s.cursor()
		if d == nil {
			s.ask.place(q, "", 0) // whatever is opened next shows it
			if d, _ = s.cursor(); d == nil {
				return
			}
			continue // it was opened meanwhile
		}
		s.ask.place(q, d.URI, at)
		if s.workspace.Snapshot().Document(d.URI) != nil { // else it was closed meanwhile
			s.announce.mark(d)
			return
		}
	}
}

// cursor returns the document in which the user was last, and where in it; nil
// when none is open.
func (s *server) cursor() (*ide.Document, int) {
	f, now := s.focus.now(), s.workspace.Snapshot()
	if d := now.Document(f.Active); d != nil {
		if len(f.Selections) > 0 {
			if at, err := d.Text.Offset(f.Selections[0].Start, s.workspace.Encoding()); err == nil {
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

// closeQuestion ends a question, and its diagnostic.
func (s *server) closeQuestion(q *question) {
	if d := s.workspace.Snapshot().Document(s.ask.close(q)); d != nil {
		s.announce.mark(d)
	}
}

// followQuestions keeps the diagnostics of questions where they belong.
func (s *server) followQuestions(e ide.Event) {
	for _, d := range s.ask.follow(e, s.cursor) {
		s.announce.mark(d)
	}
}

// lineAround returns the line that holds an offset, without its indentation and
// its end. For the end of a text that ends its last line it is that line: some
// editors do not let the cursor go behind it.
func lineAround(t *ide.Text, at int, enc ide.Encoding) ide.Range {
	n := t.LineAt(at)
	if n > 0 && t.LineStart(n) == t.Len() {
		n--
	}
	line := t.Line(n)
	body := strings.TrimRight(line, "\r\n")
	start := t.LineStart(n)
	end := start + len(body)
	return t.Range(start+len(body)-len(strings.TrimLeft(body, " \t")), end, enc)
}

// questionMessage is what a diagnostic says about a question.
func questionMessage(q asked) string {
	text := inSight(q.text) + "\n\nAnswer with a code action on this line: " + titlesOf(q.choices)
	for strings.Contains(text, "\n\n") { // editors have little room for a diagnostic
		text = strings.ReplaceAll(text, "\n\n", "\n")
	}
	return text
}

func titlesOf(choices []choice) string {
	var titles []string
	for _, c := range choices {
		titles = append(titles, c.title)
	}
	return strings.Join(titles, " / ")
}
