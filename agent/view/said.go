package view

import "strings"

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

// Outcome says how a call has ended, for outputs without a sign of its state.
func (i Item) Outcome() string {
	if i.Note == nil || i.Note.Code == "call.time" {
		return say("call.done").Text
	}
	if i.State == Failed && i.Note.Code == "call.summary" {
		return say("call.failed_with", "why", i.Note.Text).Text
	}
	return i.Note.Text
}
