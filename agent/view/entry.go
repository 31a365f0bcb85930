package view

import (
	"path/filepath"
	"strconv"
	"strings"

	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/agent/view/phrase"
	"github.com/emendo-dev/emendo/tools"
)

// Entry has the words for an entry of a list, for clients that draw. Other clients get none of it.
type Entry struct {
	Label *Text `json:"label,omitempty"`
	Note  *Text `json:"note,omitempty"`
	// Actions are done in the window's view, by the entry's ID.
	Actions []Action `json:"actions,omitempty"`
}

// ContextEntry returns what is shown of something that the model is sent: a file, or something
// of a kind.
func ContextEntry(kind, source, reason string, origin tools.Origin) Entry {
	e := Entry{Label: new(ContextName(kind, source)), Note: new(say("context.reason", "reason", reason))}
	if code := "context.from_" + string(origin); phrase.English(code) != "" {
		e.Note = new(say(code, "reason", reason))
	}
	return e
}

// ContextName returns the name of what the model is sent.
func ContextName(kind, source string) Text {
	switch code := "context." + kind; {
	case filepath.IsAbs(source):
		return say("context.file", "name", filepath.Base(source))
	case phrase.English(code) != "":
		return say(code)
	}
	return say("context.file", "name", kind)
}

// WithheldEntry returns what is shown of a file that a prompt names and that is not sent.
func WithheldEntry(title, reason string) Entry {
	return Entry{Label: new(say("notice", "title", title)), Note: new(say("context.reason", "reason", reason))}
}

// BlockName returns the name of what is added to a prompt.
func BlockName(b transcript.Block, f Folders) Text {
	return Options{Folders: f}.chip(b).Text
}

// HiddenNote says why a file that the editor shows is kept from models.
func HiddenNote() Text { return say("context.hidden") }

// OutsideNote says why a file that the editor shows is not sent: emendo does not have it.
func OutsideNote() Text { return say("context.outside") }

// LeftOutEntry returns what is shown of something that the user keeps from the model, in the
// whole session or in the next prompt alone.
func LeftOutEntry(kind, path string, session bool) Entry {
	e := Entry{Label: new(ContextName(kind, path)), Note: new(say("context.left_out_prompt"))}
	if session {
		e.Note = new(say("context.left_out"))
	}
	return e
}

// ModelEntry returns what is shown of a model. Prices are in dollars for a million tokens; nil:
// they are not known.
func ModelEntry(name, about, provider, unavailable string, input, output *float64) Entry {
	e := Entry{Label: new(say("model", "name", name))}
	switch {
	case unavailable != "":
		e.Note = new(say("model.unavailable", "reason", unavailable))
	case about != "":
		e.Note = new(say("model.about", "about", about))
	case input != nil && output != nil:
		e.Note = new(say("model.price", "provider", provider, "input", dollars(*input), "output", dollars(*output)))
	case provider != "":
		e.Note = new(say("model.about", "about", provider))
	}
	return e
}

// dollars returns an amount without zeros at its end.
func dollars(x float64) string {
	s := strconv.FormatFloat(x, 'f', 3, 64)
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// CommentEntry returns what is shown of a comment, and what can be done with it.
func CommentEntry(c transcript.Comment) Entry {
	first, last := c.Lines()
	e := Entry{Label: new(namedLines(c.Name, first, last))}
	e.Actions = []Action{{ID: Open, Title: say("comment.open"), Look: Open}}
	if c.Round == 0 {
		e.Actions = append(e.Actions, Action{ID: Edit, Title: doing(Edit), Look: Edit}, Action{ID: Remove, Title: doing(Remove), Look: Remove})
	}
	switch {
	case c.Stale:
		e.Note = new(say("comment.stale"))
	case c.Round > 0:
		e.Note = new(say("comment.sent", "round", c.Round))
	}
	return e
}
