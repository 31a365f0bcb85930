package agent

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/tools"
)

// savedFiles is the result of saving files before a command.
type savedFiles struct {
	unsaved []string // relative where possible; the command saw their text on disk
}

// note tells the model which text the command saw; empty when all was saved.
func (f savedFiles) note() string {
	if len(f.unsaved) == 0 {
		return ""
	}
	return "\nNote: the command saw these files as they are on disk, without the editor's unsaved changes: " + strings.Join(f.unsaved, ", ") + "."
}

// unsaved returns the open files below the session's folders whose text differs on
// disk. Editors do not say whether a document was already unsaved when they sent
// it, so the disk is read.
func (t *turn) unsaved(ctx context.Context) []*ide.Document {
	var l []*ide.Document
	for _, d := range t.session.agent.o.Workspace.Snapshot().Documents() {
		if d.Path == "" {
			continue
		}
		p, err := t.session.work.Tree().Resolve(d.Path)
		if err != nil {
			continue
		}
		if d.Unsaved || t.differs(ctx, p, d) {
			l = append(l, d)
		}
	}
	return l
}

// differs reports whether a file's text differs from its document's, apart from
// line endings, which some editors normalize. A file that cannot be read does not.
func (t *turn) differs(ctx context.Context, p disk.Path, d *ide.Document) bool {
	on, err := t.session.work.Tree().ReadText(ctx, p)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	text := d.Text.String()
	return on.Text != text && oneKindOfLineEnd(on.Text) != oneKindOfLineEnd(text)
}

func oneKindOfLineEnd(s string) string {
	return strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(s)
}

// openBeforeCommand returns the open files that the editor is asked to save before
// a command runs, and those of which the command would see the text on disk.
func (t *turn) openBeforeCommand(ctx context.Context) (saves, unsaved []ide.URI) {
	unsaved = []ide.URI{}
	open := t.unsaved(ctx)
	var ours []*ide.Document
	if t.session.agent.client.Abilities().Saves {
		ours = t.changedHere(open)
	}
	for _, d := range open {
		if slices.Contains(ours, d) {
			saves = append(saves, ide.URI(d.Spelling))
		} else {
			unsaved = append(unsaved, ide.URI(d.Spelling))
		}
	}
	return saves, unsaved
}

// changedHere returns those of the documents that the session has changed.
func (t *turn) changedHere(open []*ide.Document) (ours []*ide.Document) {
	changed := t.session.changedFiles()
	for _, d := range open {
		if slices.Contains(changed, d.Path) {
			ours = append(ours, d)
		}
	}
	return ours
}

// save asks the editor to save what the session changed before a command runs.
func (t *turn) save(ctx context.Context, _ tools.Runs) savedFiles {
	s := t.session
	open := t.unsaved(ctx)
	if len(open) == 0 {
		return savedFiles{}
	}
	var ours []ide.URI
	for _, d := range t.changedHere(open) {
		ours = append(ours, d.URI)
	}
	if len(ours) > 0 && s.agent.o.Editor != nil {
		if _, err := s.agent.o.Editor.Save(ctx, ours); err != nil {
			s.agent.log.Debug("the editor did not save", "session", s.id, "err", err)
		}
	}
	var f savedFiles
	for _, d := range t.unsaved(ctx) { // the editor's word is not enough: what didSave told counts
		f.unsaved = append(f.unsaved, s.work.Within(d.Path))
	}
	return f
}
