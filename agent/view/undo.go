package view

import (
	"strconv"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/ledger"
)

// Undoing lists the applied edits that an undo would remove.
type Undoing struct {
	ID, SessionID string
	Sets          []ledger.ChangeSet
	Decisions     []ledger.Decision // on their hunks
	Folders       Folders           // nil: none
	Encoding      ide.Encoding
}

// Question asks whether to take it back, and shows what that does: what is in the files with
// "-", and what comes back with "+".
func (u Undoing) Question() Question {
	q := Question{ID: u.ID, SessionID: u.SessionID, Code: "undo_all", Parts: []Part{}, Lines: []Line{}}
	near := u.Folders
	if near == nil {
		near = Shown(nil)
	}
	covered := map[ledger.Decision]bool{} // without what is decided
	for _, d := range u.Decisions {
		covered[ledger.Decision{ChangeSetID: d.ChangeSetID, HunkID: d.HunkID}] = true
	}
	n, shown, more := 0, 0, 0
	for _, cs := range u.Sets {
		for _, f := range cs.Files {
			var rows []Row
			size := 0
			for _, h := range f.Hunks {
				if !covered[ledger.Decision{ChangeSetID: cs.ID, HunkID: h.ID}] {
					continue
				}
				if n++; len(rows) > 0 {
					rows = append(rows, Row{Mark: "…"})
				}
				if f.Omitted == "" {
					rows = append(rows, hunkRows(h.NewText, h.OldText, u.Encoding)...)
				}
				size += length(h.NewText, u.Encoding) + length(h.OldText, u.Encoding) + 1
			}
			if size == 0 {
				continue
			}
			text := fileText(near, f)
			if text.Code == "fact.file" { // of all hunks, also those that stay
				text = say("fact.file", "path", text.Args.Get("path"), "added", count(rows, "+"), "removed", count(rows, "-"))
			}
			q.Lines = append(q.Lines, Line{ID: "file", Look: string(f.Op), Text: text, Place: placeOfFile(f)})
			if shown += size; shown > most {
				more++
				continue
			}
			q.Parts = append(q.Parts, Part{Kind: Diff, Label: &text, Place: placeOfFile(f), Rows: rows})
		}
	}
	if more > 0 {
		q.Lines = append(q.Lines, Line{ID: "more", Text: say("undo.more", "n", more)})
	}
	q.Title = say("ask.undo_all", "n", n)
	q.Brief = q.Title
	q.Options = []Action{
		{ID: UndoAll, Title: say("undo.all", "n", n), Look: "allow_once", Danger: true},
		{ID: Cancel, Title: say("rewind.cancel"), Look: "reject_once"},
	}
	return q
}

// FileOption returns the ID of the option of [WhichFile] that is a file.
func FileOption(n int) string { return "file:" + strconv.Itoa(n) }

// WhichFile asks for which of several files a code block of an answer is.
func WhichFile(id, sessionID, itemID string, files []string, near Folders) Question {
	if near == nil {
		near = Shown(nil)
	}
	q := Question{ID: id, SessionID: sessionID, ItemID: itemID, Code: "which_file", Title: say("ask.which_file"), Parts: []Part{}, Lines: []Line{}}
	q.Brief = q.Title
	for n, file := range files {
		q.Lines = append(q.Lines, Line{ID: "file", Look: "file", Text: say("place", "path", near.Near(file)), Place: placeOf(file)})
		q.Options = append(q.Options, Action{ID: FileOption(n), Title: say("place", "path", near.Near(file)), Look: "pick"})
	}
	q.Options = append(q.Options, Action{ID: Cancel, Title: say("option.cancel"), Look: Cancel})
	return q
}
