package turn

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/tools"
)

// editorFiles compares the files that are open in the editor with the disk, which
// is what commands see.
type editorFiles struct{ *Turn }

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
func (t *editorFiles) unsaved(ctx context.Context) []*ide.Document {
	var l []*ide.Document
	for _, d := range t.Session.Agent.Options.Workspace.Snapshot().Documents() {
		if d.Path == "" {
			continue
		}
		p, err := t.Session.Work.Tree().Resolve(d.Path)
		if err != nil {
			continue
		}
		if d.Unsaved || t.files.differs(ctx, p, d) {
			l = append(l, d)
		}
	}
	return l
}

// differs reports whether a file's text differs from its document's, apart from
// line endings, which some editors normalize. A file that cannot be read does not.
func (t *editorFiles) differs(ctx context.Context, p disk.Path, d *ide.Document) bool {
	on, err := t.Session.Work.Tree().ReadText(ctx, p)
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
func (t *editorFiles) openBeforeCommand(ctx context.Context) (saves, unsaved []ide.URI) {
	unsaved = []ide.URI{}
	open := t.files.unsaved(ctx)
	var ours []*ide.Document
	if t.Session.Agent.Client.Abilities().Saves {
		ours = t.files.changedHere(open)
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
func (t *editorFiles) changedHere(open []*ide.Document) (ours []*ide.Document) {
	changed := t.Session.ChangedFiles()
	for _, d := range open {
		if slices.Contains(changed, d.Path) {
			ours = append(ours, d)
		}
	}
	return ours
}

// save asks the editor to save what the session changed before a command runs.
func (t *editorFiles) save(ctx context.Context, _ tools.Runs) savedFiles {
	s := t.Session
	open := t.files.unsaved(ctx)
	if len(open) == 0 {
		return savedFiles{}
	}
	var ours []ide.URI
	for _, d := range t.files.changedHere(open) {
		ours = append(ours, d.URI)
	}
	if len(ours) > 0 && s.Agent.Options.Editor != nil {
		if _, err := s.Agent.Options.Editor.Save(ctx, ours); err != nil {
			s.Agent.Log.Debug("the editor did not save", "session", s.SessionID, "err", err)
		}
	}
	var f savedFiles
	for _, d := range t.files.unsaved(ctx) { // the editor's reply is not enough: only didSave counts
		f.unsaved = append(f.unsaved, s.Work.Near(d.Path))
	}
	return f
}

// onDisk holds the hashes of files on disk that are open in the editor, by path; a
// zero hash if no text can be read.
type onDisk map[string][32]byte

// openOnDisk hashes the open files below the session's folders.
func (t *editorFiles) openOnDisk(ctx context.Context) onDisk {
	seen := onDisk{}
	for _, d := range t.Session.Agent.Options.Workspace.Snapshot().Documents() {
		if d.Path == "" {
			continue
		}
		if p, err := t.Session.Work.Tree().Resolve(d.Path); err == nil {
			seen[d.Path] = t.files.hash(ctx, p)
		}
	}
	return seen
}

func (t *editorFiles) hash(ctx context.Context, p disk.Path) [32]byte {
	on, err := t.Session.Work.Tree().ReadText(ctx, p)
	if err != nil {
		return [32]byte{}
	}
	return on.Hash
}

// changedOnDisk reports to the user and the model which open files a command has
// changed on disk while the editor still has another text. The editor has to reload
// them: its text is never overwritten.
func (t *editorFiles) changedOnDisk(ctx context.Context, before onDisk) (note string) {
	ctx = context.WithoutCancel(ctx) // a command that was cancelled has changed what it has changed
	s := t.Session
	var changed []string
	for _, d := range s.Agent.Options.Workspace.Snapshot().Documents() {
		hash, ok := before[d.Path]
		if !ok || d.Path == "" {
			continue
		}
		p, err := s.Work.Tree().Resolve(d.Path)
		if err == nil && t.files.hash(ctx, p) != hash && t.files.differs(ctx, p, d) {
			changed = append(changed, s.Work.Near(d.Path))
		}
	}
	if len(changed) == 0 {
		return ""
	}
	slices.Sort(changed)
	names := strings.Join(changed, ", ")
	t.Emit(transcript.Notice{
		Severity: transcript.Warning, Code: transcript.NoticeChangedOnDisk, Title: "A command changed files that are open",
		Description: "On disk they are not as the editor shows them: " + names + ". Read them again there, or save to keep what it shows.",
	})
	return "\nNote: the command changed these files on disk, and the editor, whose text counts, still shows them as they were: " + names + ". Until it has read them again, tools see the editor's text."
}
