package agent

import (
	"context"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide/disk"
)

// onDisk is what the disk holds of files that are open in the editor, by path:
// a hash, or nothing where no text can be read.
type onDisk map[string][32]byte

// openOnDisk looks at the open files below the session's folders.
func (t *turn) openOnDisk(ctx context.Context) onDisk {
	seen := onDisk{}
	for _, d := range t.session.agent.o.Workspace.Snapshot().Documents() {
		if d.Path == "" {
			continue
		}
		if p, err := t.session.work.Tree().Resolve(d.Path); err == nil {
			seen[d.Path] = t.hash(ctx, p)
		}
	}
	return seen
}

func (t *turn) hash(ctx context.Context, p disk.Path) [32]byte {
	on, err := t.session.work.Tree().ReadText(ctx, p)
	if err != nil {
		return [32]byte{}
	}
	return on.Hash
}

// changedOnDisk tells the user and the model which open files a command has
// changed on disk, while the editor still has another text of them. It is the
// editor that reads them again: nothing of what it shows is overwritten.
func (t *turn) changedOnDisk(ctx context.Context, before onDisk) (note string) {
	ctx = context.WithoutCancel(ctx) // a command that was cancelled has changed what it has changed
	s := t.session
	var changed []string
	for _, d := range s.agent.o.Workspace.Snapshot().Documents() {
		hash, ok := before[d.Path]
		if !ok || d.Path == "" {
			continue
		}
		p, err := s.work.Tree().Resolve(d.Path)
		if err == nil && t.hash(ctx, p) != hash && t.differs(ctx, p, d) {
			changed = append(changed, s.work.Within(d.Path))
		}
	}
	if len(changed) == 0 {
		return ""
	}
	slices.Sort(changed)
	names := strings.Join(changed, ", ")
	t.emit(transcript.Notice{
		Severity: transcript.Warning, Code: transcript.NoticeChangedOnDisk, Title: "A command changed files that are open",
		Description: "On disk they are not as the editor shows them: " + names + ". Read them again there, or save to keep what it shows.",
	})
	return "\nNote: the command changed these files on disk, and the editor, whose text counts, still shows them as they were: " + names + ". Until it has read them again, tools see the editor's text."
}
