package view

import (
	"cmp"
	"strings"
)

// HasEnded reports whether an item has ended.
func (i Item) HasEnded() bool {
	return i.State != Waiting && i.State != Asks && i.State != Running
}

// Sentence returns a notice as one text, for outputs without a place of their own for its
// note and its texts.
func (i Item) Sentence() string {
	text := i.Title.Text
	add := func(more string) {
		if more != "" {
			text = strings.TrimSuffix(text, ".") + ": " + more
		}
	}
	if i.Note != nil {
		add(i.Note.Text)
	}
	for _, p := range i.Parts {
		add(p.Text)
	}
	return text
}

// Outcome says what came of a call that has ended, for outputs without a sign of its state;
// empty if there is nothing to say.
func (i Item) Outcome() string {
	switch {
	case i.Note == nil, i.Note.Code == "call.time":
		return ""
	case i.Note.Code == "call.summary" && i.State == Failed:
		return say("call.failed_with", "why", i.Note.Text).Text
	}
	return i.Note.Text
}

// Answered says how a question about a call was answered: by an option with a title, or not
// at all.
func Answered(optionID, title string) Text {
	switch optionID {
	case "":
		return say("answered.none")
	case "allow_once":
		return say("answered.allow_once")
	case "reject_once":
		return say("call.rejected")
	}
	return say("answered.option", "title", cmp.Or(title, optionID))
}

// Picture names a picture.
func Picture(p Part) Text {
	if p.Label != nil {
		return *p.Label
	}
	return say("chip.image")
}
