package view

import (
	"strings"

	"github.com/emendo-dev/emendo/agent/rewind"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide"
)

// Rewind is the way back to before a prompt, before it is taken.
type Rewind struct {
	ID, SessionID, TurnID string
	Prompt                Prompt
	Following             int           // turns after that of the prompt
	Files                 rewind.Result // what would become of files
	Folders               Folders
	Encoding              ide.Encoding
}

// Cancel is the answer to leave everything as it is.
const Cancel = "cancel"

// The answers of [Rewind.Question] that go back.
const (
	BackBoth         = string(rewind.Both)
	BackConversation = string(rewind.Conversation)
	BackFiles        = string(rewind.Files)
)

// Question asks how much to rewind, and shows what that does.
func (r Rewind) Question() Question {
	q := Question{
		ID: r.ID, SessionID: r.SessionID, ItemID: r.TurnID, Code: "rewind", Title: say("ask.rewind"), Brief: say("ask.rewind"),
		Parts: []Part{}, Lines: []Line{}, Options: []Action{},
	}
	if r.Prompt.Text != "" {
		q.Parts = append(q.Parts, Part{Kind: Plain, Label: new(say("label.prompt")), Text: plain(r.Prompt.Text)})
	}
	q.Lines = append(q.Lines, Line{ID: "turns", Label: new(say("label.conversation")), Text: say("rewind.turns", "n", r.Following+1)})
	list := func(id string, l []string) {
		for _, name := range l {
			q.Lines = append(q.Lines, Line{ID: id, Look: "file", Label: new(say("label." + id)), Text: r.near(name), Place: placeOf(name)})
		}
	}
	left := func(id, look string, l []rewind.Skipped) {
		for _, s := range l {
			q.Lines = append(q.Lines, Line{ID: id, Look: look, Label: new(say("label." + id)), Text: say("rewind.left", "path", r.near(s.Path).Text, "reason", s.Reason), Place: placeOf(s.Path)})
		}
	}
	f := r.Files
	left("conflict", warning, f.Conflicts)
	left("kept", "", f.Kept)
	list("restored", f.Restored)
	list("deleted", f.Deleted)
	for _, c := range f.Changes {
		if c.Before.Binary || c.After.Binary {
			continue
		}
		d := transcript.Diff{Path: c.Name, New: c.After.Text}
		if c.Before.Exists {
			d.Old = &c.Before.Text
		}
		q.Parts = append(q.Parts, Part{Kind: Diff, Label: new(r.near(c.Name)), Place: placeOf(c.Name), Rows: rowsOf(d, r.Encoding)})
	}
	add := func(id string, danger bool) {
		q.Options = append(q.Options, Action{ID: id, Title: say("rewind." + id), Look: "allow_once", Danger: danger})
	}
	if len(f.Restored)+len(f.Deleted)+len(f.Conflicts)+len(f.Kept) == 0 {
		q.Lines = append(q.Lines, Line{ID: "files", Label: new(say("label.files")), Text: say("rewind.no_files")})
		add(BackConversation, true)
	} else {
		add(BackBoth, true)
		add(BackConversation, true)
		add(BackFiles, true)
	}
	q.Options = append(q.Options, Action{ID: Cancel, Title: say("rewind.cancel"), Look: "reject_once"})
	return q
}

// near names a file as the user reads it.
func (r Rewind) near(name string) Text {
	if r.Folders != nil && !strings.Contains(name, "://") {
		name = r.Folders.Near(name)
	}
	return say("place", "path", name)
}

// placeOf returns the place of a file, or of a document that is not a file.
func placeOf(name string) *Place {
	if strings.Contains(name, "://") {
		return &Place{URI: name}
	}
	return &Place{URI: string(ide.FileURI(name))}
}
