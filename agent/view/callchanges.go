package view

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/ledger"
)

// The actions of a call about the files that it changed.
const (
	ShowDiff  = "diff"   // of all its files; "diff:N" of the file of the line with that number
	Review    = "review" // goes to its first edit that waits
	AcceptSet = "accept"
	RejectSet = "reject"
)

// ChangeSet replaces what is known of the files that a call changes.
func (c *Conversation) ChangeSet(cs ledger.ChangeSet) {
	if cs.CallID == "" {
		return
	}
	before, known := c.sets[cs.CallID]
	if known && before.ID == cs.ID && before.Version > cs.Version {
		return
	}
	c.sets[cs.CallID] = cs
	if i := c.items[cs.CallID]; i != nil && i.call != nil {
		c.showChanges(i, proposesSame(before, cs))
	}
}

// proposesSame reports whether a state of a change set proposes what the one before did: only
// what is decided about it can be different.
func proposesSame(before, now ledger.ChangeSet) bool {
	return slices.EqualFunc(before.Files, now.Files, func(a, b ledger.FileChange) bool {
		return a.URI == b.URI && a.Path == b.Path && a.Spelling == b.Spelling && a.Op == b.Op && a.NewPath == b.NewPath && a.Diff == b.Diff
	})
}

// showChanges shows in a call which files it changes, and what can be done about them. Their
// differences stay as they are where they are the same.
func (c *Conversation) showChanges(i *entry, same bool) {
	cs, known := c.sets[i.ID]
	if !known || len(cs.Files) == 0 {
		return
	}
	isDiff := func(p Part) bool { return p.Kind == Diff }
	others := slices.DeleteFunc(slices.Clone(i.Parts), isDiff)
	how := head
	live := !i.call.over && slices.ContainsFunc(i.Parts, func(p Part) bool { return p.Kind == Output })
	if shown := same && len(i.Parts)-len(others) == len(cs.Files); !live && !shown {
		i.Parts = append(others, changedFiles(c.o.Folders, cs, c.o.Encoding)...)
		how = whole
	}
	i.Lines = slices.DeleteFunc(slices.Clone(i.Lines), func(l Line) bool { return l.ID == "file" || l.ID == "edits" || l.ID == "check" })
	i.Lines = append(i.Lines, setLines(c.o.Folders, cs)...)
	waits := cs.Hunks(func(h ledger.Hunk) bool { return h.State.Waits() })
	if i.call.over {
		i.State, i.Note = i.call.ended, i.call.note
		switch {
		case len(waits) > 0:
		case cs.State == ledger.Accepted && i.State != Done:
			i.State, i.Note = Done, nil
		case cs.State == ledger.Rejected && i.State != Cancelled:
			i.State, i.Note = Rejected, new(say("call.rejected"))
		}
	}
	i.Actions = append(c.o.callActions(i), Action{ID: ShowDiff, Title: say("do.diff"), Look: ShowDiff})
	if n := len(waits); n > 0 {
		i.Actions = append(i.Actions,
			Action{ID: Review, Title: say("do.review"), Look: Review},
			Action{ID: AcceptSet, Title: say("do.accept_n", "n", n), Look: AcceptSet},
			Action{ID: RejectSet, Title: say("do.reject_n", "n", n), Look: RejectSet})
	}
	c.touch(i, how)
}

// changedFiles returns the files of a change set as parts.
func changedFiles(near Folders, cs ledger.ChangeSet, enc ide.Encoding) (l []Part) {
	for _, f := range cs.Files {
		l = append(l, Part{Kind: Diff, Label: new(fileText(near, f)), Place: placeOfFile(f), Rows: withWords(unifiedRows(f.Diff), enc)})
	}
	return l
}

// placeOfFile returns where a changed file is, and where to it is moved.
func placeOfFile(f ledger.FileChange) *Place {
	p := &Place{URI: cmp.Or(f.Spelling, string(f.URI))}
	if f.NewPath != "" {
		p.NewURI = string(ide.FileURI(f.NewPath))
	}
	return p
}

// fileText names a changed file, with how much of it changes.
func fileText(near Folders, f ledger.FileChange) Text {
	name := near.Near(cmp.Or(f.Path, string(f.URI)))
	added, removed := 0, 0
	for _, r := range unifiedRows(f.Diff) {
		switch r.Mark {
		case "+":
			added++
		case "-":
			removed++
		}
	}
	counts := "+" + strconv.Itoa(added) + " −" + strconv.Itoa(removed)
	switch f.Op {
	case ledger.Create:
		return short(say("change.create", "path", name, "added", added), counts)
	case ledger.Delete:
		return short(say("change.delete", "path", name, "removed", removed), counts)
	case ledger.Rename:
		return short(say("change.rename", "path", name, "to", near.Near(f.NewPath), "added", added, "removed", removed), counts)
	case ledger.Modify:
	}
	return short(say("fact.file", "path", name, "added", added, "removed", removed), counts)
}

// setLines says how a change set stands.
func setLines(near Folders, cs ledger.ChangeSet) (l []Line) {
	for n, f := range cs.Files {
		id := ShowDiff + ":" + strconv.Itoa(n)
		l = append(l, Line{ID: "file", Look: string(f.Op), Text: fileText(near, f), Place: placeOfFile(f), Action: &Action{ID: id, Title: say("do.diff_of", "name", path.Base(f.URI.Path())), Look: ShowDiff}})
	}
	count := func(is func(ledger.Hunk) bool) int { return len(cs.Hunks(is)) }
	pending := count(func(h ledger.Hunk) bool { return h.State == ledger.Pending })
	conflicts := count(func(h ledger.Hunk) bool { return h.State == ledger.Conflicted })
	unreviewed := count(ledger.Hunk.Unreviewed)
	state := func(look string, t Text) { l = append(l, Line{ID: "edits", Look: look, Text: t}) }
	if pending > 0 {
		state(string(HunkPending), say("edits.pending", "n", pending))
	}
	if conflicts > 0 {
		state(string(HunkConflicted), say("edits.conflicts", "n", conflicts))
	}
	switch {
	case pending+conflicts > 0:
	case unreviewed > 0:
		state(string(HunkUnreviewed), say("edits.unreviewed", "n", unreviewed))
	case !cs.State.Waits() && cs.State != ledger.Conflicted:
		state(string(cs.State), say("edits."+string(cs.State)))
	}
	if c := checkLine(cs.Verification()); c != nil {
		l = append(l, *c)
	}
	return l
}

// unifiedRows returns a unified diff as rows.
func unifiedRows(s string) (rows []Row) {
	begun := false
	for _, line := range linesOf(s) {
		switch {
		case strings.HasPrefix(line, "@@"):
			if begun {
				rows = append(rows, Row{Mark: "…"})
			}
			begun = true
		case !begun || strings.HasPrefix(line, `\`):
		case line == "":
			rows = append(rows, Row{Mark: "="})
		case line[0] == ' ':
			rows = append(rows, Row{Mark: "=", Text: line[1:]})
		case line[0] == '-', line[0] == '+':
			rows = append(rows, Row{Mark: line[:1], Text: line[1:]})
		}
	}
	return rows
}

// UnifiedTexts returns the lines of a unified diff as texts before and after it.
func UnifiedTexts(s string) (before, after string) {
	var old, now strings.Builder
	for _, r := range unifiedRows(s) {
		line := r.Text + "\n"
		if r.Mark == "…" {
			line = "…\n"
		}
		if r.Mark != "+" {
			old.WriteString(line)
		}
		if r.Mark != "-" {
			now.WriteString(line)
		}
	}
	return old.String(), now.String()
}

// Changed is a file that a call or a turn changed.
type Changed struct {
	ChangeSetID string
	URI         string
}

// ChangedFiles returns the files that a call or a turn changed, in the order of its lines.
func (c *Conversation) ChangedFiles(id string) (l []Changed) {
	e := c.items[id]
	switch {
	case e == nil:
	case e.turn != nil:
		for _, f := range e.turn.files {
			l = append(l, Changed{f.ChangeSetID, f.URI})
		}
	case e.call != nil:
		for _, f := range c.sets[id].Files {
			l = append(l, Changed{c.sets[id].ID, string(f.URI)})
		}
	}
	return l
}
