package turn

import (
	"context"
	"fmt"
	"strings"

	"github.com/emendo-dev/emendo/agent/checkpoint"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/rewind"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/tools"
)

// holdBack puts back what a command that nobody allowed has changed of the files that tools
// of the project run by themselves, after untrusted content, and proposes the change to a
// user who reviews edits. In mode yolo it stays, and the user is told. It returns a note for
// the model.
func (c *call) holdBack(ctx context.Context, e rewind.Ended) string {
	read := c.turn.Untrusted()
	if !read.Any() {
		return ""
	}
	changed := e.Runs()
	if len(changed) == 0 {
		return ""
	}
	near := c.turn.Session.Work.Near
	if c.turn.Session.Info().Mode == policy.Yolo {
		c.turn.Emit(transcript.Notice{
			Severity: transcript.Warning, Code: transcript.NoticeOutside, Title: "A command changed files that tools run by themselves: " + namesOf(changed, near),
			Description: fmt.Sprintf("%s may have told the model to do this. Review them before the next build or test.", read),
		})
		return ""
	}
	if !c.permission.Unasked {
		return ""
	}
	ctx = context.WithoutCancel(ctx) // of a cancelled command too
	back, err := e.PutBack(ctx, changed)
	if err != nil {
		c.turn.Session.Agent.Log.Error("put back what a command changed", "session", c.turn.Session.SessionID, "err", err)
		return fmt.Sprintf("\nNote: the command changed %s, which tools run by themselves, and that could not be put back: %v", namesOf(changed, near), err)
	}
	if len(back) == 0 {
		return ""
	}
	note := fmt.Sprintf("\nNote: the command changed %s, which tools of the project run by themselves. After content from outside that needs the user's approval, so it was put back.", namesOf(back, near))
	if c.proposes(ctx, back) {
		return note + " The change is proposed to the user, who decides later; go on without it."
	}
	return note + " Make the change with an edit if it is needed."
}

// proposes proposes changes of a command to a user who reviews edits, with the call. It
// reports whether it did.
func (c *call) proposes(ctx context.Context, changed []rewind.Changed) bool {
	s := c.turn.Session
	if !s.Agent.Client.Abilities().Reviews {
		return false
	}
	s.Agent.Options.Workspace.Refresh(ctx)
	snap := s.Agent.Options.Workspace.Snapshot()
	var files []ledger.Proposed
	for _, x := range changed {
		if x.Before.Binary || x.After.Binary {
			return false
		}
		f := ledger.Proposed{Path: x.Path, URI: ide.FileURI(x.Path), Op: ledger.Modify, New: x.After.Text}
		switch {
		case !x.Before.Exists:
			f.Op, f.Base = ledger.Create, ide.File{Path: x.Path, Text: ide.NewText(""), Format: x.After.Format, Mode: x.After.Mode}
		default:
			base, err := snap.Read(ctx, x.Path)
			if err != nil {
				return false
			}
			f.Base = base
			if base.Document != nil {
				f.URI = base.Document.URI
			}
			if !x.After.Exists {
				f.Op = ledger.Delete
			} else if text := base.Text.String(); text != x.Before.Text { // unsaved in the editor
				merged, ok := checkpoint.Merge(x.Before.Text, text, x.After.Text)
				if !ok {
					return false
				}
				f.New = merged
			}
		}
		files = append(files, f)
	}
	set, err := s.Agent.Options.Ledger.Propose(ctx, ledger.Proposal{SessionID: s.SessionID, TurnID: c.turn.ID, CallID: c.made.CallID, Title: c.made.Title, Origin: ledger.OfCommand, Files: files})
	if err != nil {
		s.Agent.Log.Error("propose what a command changed", "session", s.SessionID, "err", err)
		return false
	}
	c.set, c.hunkStates = set.ID, statesOf(set)
	return true
}

func namesOf(l []rewind.Changed, near func(string) string) string {
	names := make([]string, len(l))
	for i, x := range l {
		names[i] = tools.ShownLine(near(x.Path), 200)
	}
	return strings.Join(names, ", ")
}
