package turn

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
)

// openFiles are the open files of a session.
type openFiles struct{ conv *state.Conversation }

// unsaved returns the open files below the session's folders whose text differs on
// disk. Editors do not say whether a document was already unsaved when they sent
// it, so the disk is read.
func (f openFiles) unsaved(ctx context.Context) []*ide.Document {
	var l []*ide.Document
	for d, p := range f.all() {
		if d.Unsaved || f.differs(ctx, p, d) {
			l = append(l, d)
		}
	}
	return l
}

// all yields the open files below the session's folders, and where they are on disk.
func (f openFiles) all() iter.Seq2[*ide.Document, disk.Path] {
	return func(yield func(*ide.Document, disk.Path) bool) {
		for _, d := range f.conv.Session.Agent.Options.Workspace.Snapshot().Documents() {
			if d.Path == "" || d.URI.IsChat() { // a chat document is no part of the work
				continue
			}
			if p, err := f.conv.Session.Work.Tree().Resolve(d.Path); err == nil && !yield(d, p) {
				return
			}
		}
	}
}

// differs reports whether a file's text differs from its document's, apart from
// line endings, which some editors normalize. A file that cannot be read does not.
func (f openFiles) differs(ctx context.Context, p disk.Path, d *ide.Document) bool {
	on, err := f.conv.Session.Work.Tree().ReadText(ctx, p)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	text := d.Text.String()
	return on.Text != text && oneKindOfLineEnd(on.Text) != oneKindOfLineEnd(text)
}

func oneKindOfLineEnd(s string) string {
	return strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(s)
}

// BeforeCommand returns the open files that the editor is asked to save before
// a command runs, and those of which the command would see the text on disk.
func (f openFiles) BeforeCommand(ctx context.Context) (saves, unsaved []ide.URI) {
	unsaved = []ide.URI{}
	open := f.unsaved(ctx)
	var ours []*ide.Document
	if f.conv.Session.Agent.Client.Abilities().Saves {
		ours = f.changedHere(open)
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
func (f openFiles) changedHere(open []*ide.Document) []*ide.Document {
	changed := f.conv.Session.ChangedFiles()
	return slices.DeleteFunc(slices.Clone(open), func(d *ide.Document) bool { return !slices.Contains(changed, d.Path) })
}

// Save asks the editor to save what the session changed before a command runs. It returns a
// note for the model on the files that the command sees as they were; empty if all was saved.
func (f openFiles) Save(ctx context.Context) (note string) {
	s := f.conv.Session
	open := f.unsaved(ctx)
	if len(open) == 0 {
		return ""
	}
	var ours []ide.URI
	for _, d := range f.changedHere(open) {
		ours = append(ours, d.URI)
	}
	if len(ours) > 0 && s.Agent.Options.Editor != nil {
		if _, err := s.Agent.Options.Editor.Save(ctx, ours); err != nil {
			s.Agent.Log.Debug("the editor did not save", "session", s.SessionID, "err", err)
		}
	}
	var unsaved []string
	for _, d := range f.unsaved(ctx) { // the editor's reply is not enough: only didSave counts
		unsaved = append(unsaved, s.Work.Near(d.Path))
	}
	if len(unsaved) == 0 {
		return ""
	}
	return "\nNote: the command saw these files as they are on disk, without the editor's unsaved changes: " + strings.Join(unsaved, ", ") + "."
}

// textsOnDisk holds the hashes of files on disk that are open in the editor, by path; a
// zero hash if no text can be read.
type textsOnDisk map[string][32]byte

// OnDisk hashes the open files below the session's folders.
func (f openFiles) OnDisk(ctx context.Context) textsOnDisk {
	seen := textsOnDisk{}
	for d, p := range f.all() {
		seen[d.Path] = f.hash(ctx, p)
	}
	return seen
}

func (f openFiles) hash(ctx context.Context, p disk.Path) [32]byte {
	on, err := f.conv.Session.Work.Tree().ReadText(ctx, p)
	if err != nil {
		return [32]byte{}
	}
	return on.Hash
}

// ChangedOnDisk reports to the user and the model which open files a command has
// changed on disk while the editor still has another text. The editor has to reload
// them: its text is never overwritten.
func (f openFiles) ChangedOnDisk(ctx context.Context, before textsOnDisk) (note string) {
	ctx = context.WithoutCancel(ctx) // a command that was cancelled has changed what it has changed
	s := f.conv.Session
	var changed []string
	for d, p := range f.all() {
		if hash, ok := before[d.Path]; ok && f.hash(ctx, p) != hash && f.differs(ctx, p, d) {
			changed = append(changed, s.Work.Near(d.Path))
		}
	}
	if len(changed) == 0 {
		return ""
	}
	slices.Sort(changed)
	names := strings.Join(changed, ", ")
	f.conv.Warn(transcript.NoticeChangedOnDisk, "A command changed files that are open", "On disk they are not as the editor shows them: "+names+". Read them again there, or save to keep what it shows.")
	return "\nNote: the command changed these files on disk, and the editor, whose text counts, still shows them as they were: " + names + ". Until it has read them again, tools see the editor's text."
}
