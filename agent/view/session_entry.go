package view

import (
	"strings"

	"github.com/emendo-dev/emendo/agent/transcript"
)

// ListedSession is a session in a list.
type ListedSession struct {
	Title   string
	Turns   int
	Runs    bool
	Waits   bool // for the user
	Pending int  // hunks
}

// SessionEntry returns what a list of sessions says of one.
func SessionEntry(s ListedSession) Entry {
	var notes []Text
	note := func(code string, args ...any) { notes = append(notes, say(code, args...)) }
	switch {
	case s.Waits && s.Pending > 0:
		note("session.review")
	case s.Waits:
		note("session.asks")
	case s.Runs:
		note("session.works")
	}
	if s.Pending > 0 {
		note("session.pending", "n", s.Pending)
	}
	if s.Turns > 0 {
		note("session.turns", "n", s.Turns)
	}
	return Entry{Label: new(titleOf(s.Title)), Note: Notes(notes), Actions: []Action{
		{ID: Open, Title: say("session.open"), Look: Open},
		{
			ID: Rename, Title: say("session.rename"), Look: Rename,
			Fields: []Field{{ID: "title", Label: say("field.title"), Type: "line", Required: true, Values: []string{titleOf(s.Title).Text}}},
		},
		{ID: Fork, Title: say("session.fork"), Look: Fork},
		{ID: Delete, Title: say("session.delete"), Look: Delete, Danger: true},
	}}
}

// titleOf returns the title of a session.
func titleOf(title string) Text {
	if strings.TrimSpace(title) == "" {
		return say("session.untitled")
	}
	return say("session", "title", title)
}

// Notes returns several notes as one; nil for none.
func Notes(notes []Text) *Text {
	switch len(notes) {
	case 0:
		return nil
	case 1:
		return &notes[0]
	}
	all := make([]string, len(notes))
	for i, t := range notes {
		all[i] = t.Text
	}
	return new(say("notes", "notes", strings.Join(all, " · ")))
}

// The actions of entries in lists.
const (
	Open   = "open"
	Rename = "rename"
	Delete = "delete"
)

// DeleteSession returns the question whether a session is deleted.
func DeleteSession(id, sessionID string, s ListedSession) Question {
	title := titleOf(s.Title).Text
	q := Question{ID: id, SessionID: sessionID, Code: "delete_session", Title: say("ask.delete_session", "title", title), Parts: []Part{}, Lines: []Line{{ID: "lasts", Look: warning, Text: say("ask.delete_lasts")}}}
	q.Brief = q.Title
	if s.Turns > 0 {
		q.Lines = append(q.Lines, Line{ID: "turns", Text: say("session.turns", "n", s.Turns)})
	}
	if s.Pending > 0 {
		q.Lines = append(q.Lines, Line{ID: "pending", Look: warning, Text: say("session.pending", "n", s.Pending)})
	}
	q.Options = []Action{
		{ID: Delete, Title: say("option.delete"), Look: Delete, Danger: true},
		{ID: Cancel, Title: say("option.keep"), Look: Cancel},
	}
	return q
}

// EndNews says of a session that no turn follows its last one; nil where the user ended it.
func EndNews(title string, why transcript.StopReason) *Text {
	switch state, _ := stopped(why); state { //nolint:exhaustive // a turn ends in one of these
	case Cancelled:
		return nil
	case Failed:
		return new(say("news.failed", "title", titleOf(title).Text))
	}
	return new(say("news.done", "title", titleOf(title).Text))
}

// WaitNews says of a session that it waits for the user.
func WaitNews(s ListedSession) *Text {
	if s.Pending > 0 {
		return new(say("news.review", "title", titleOf(s.Title).Text))
	}
	return new(say("news.asks", "title", titleOf(s.Title).Text))
}
