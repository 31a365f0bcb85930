package view

import (
	"path/filepath"
	"strings"
)

// Seen is what emendo sees before a conversation begins.
type Seen struct {
	File     string // that the user looks at, as they know it; empty: none
	Unsaved  bool
	Selected int // lines of it
	Problems int // that the editor reports in it
	Open     int // files
	Folders  []string
	Sandbox  string // the letter of the level; empty: not known
	Model    string
	Mode     string
}

// mostSuggestions is how many things to ask are offered.
const mostSuggestions = 3

// WelcomeID is the ID of the welcome.
const WelcomeID = "welcome"

// Welcome returns what is shown before a conversation begins: what to ask, by what the editor
// shows, and what emendo sees. Keys and commands are the client's to add.
func Welcome(s Seen) Item {
	i := Item{ID: WelcomeID, Kind: KindWelcome, Title: say("welcome"), Parts: []Part{{Kind: Plain, Text: say("welcome.text").Text}}}
	suggest := func(id string, args ...any) {
		if len(i.Lines) < mostSuggestions {
			text := say("suggest."+id, args...)
			prompt := say("suggest."+id+"_prompt", args...).Text
			i.Lines = append(i.Lines, Line{ID: "suggestion", Look: id, Text: text, Action: &Action{ID: "suggest_" + id, Title: text, Look: id, Steps: []Step{{Compose: &prompt}}}})
		}
	}
	if s.Selected > 0 {
		suggest("selection", "n", s.Selected)
	}
	if s.Problems > 0 {
		suggest("problems", "n", s.Problems)
	}
	if s.File != "" {
		suggest("explain", "file", filepath.Base(s.File))
		suggest("tests", "file", filepath.Base(s.File))
	}
	suggest("project")
	suggest("bug")
	suggest("changes")
	sees := func(id, look, code string, args ...any) {
		i.Lines = append(i.Lines, Line{ID: id, Look: look, Label: new(say("label.sees_" + id)), Text: say(code, args...)})
	}
	switch {
	case s.File == "":
		sees("file", "", "sees.no_file")
	case s.Unsaved:
		sees("file", "file", "sees.unsaved", "file", s.File)
	default:
		sees("file", "file", "place", "path", s.File)
	}
	if s.Selected > 0 {
		sees("selection", "selection", "sees.lines", "n", s.Selected)
	}
	if s.Open > 1 {
		sees("open", "", "sees.files", "n", s.Open)
	}
	for _, f := range s.Folders {
		sees("folder", "folder", "place", "path", f)
	}
	if s.Sandbox != "" {
		look := ""
		if s.Sandbox == "C" {
			look = warning
		}
		sees("commands", look, "sees.sandbox_"+strings.ToLower(s.Sandbox))
	}
	if s.Model != "" {
		sees("model", "", "sees.model", "model", s.Model, "mode", s.Mode)
	}
	return i
}
