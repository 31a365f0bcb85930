package turn

import (
	"context"
	"fmt"
	"strings"

	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/rewind"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/tools"
)

// holdBack puts back what a command that nobody allowed has changed of the files that tools
// of the project run by themselves, after untrusted content, and proposes the change to a
// user who reviews edits. In mode yolo it stays, and the user is told. It returns a note for
// the model, and what was put back.
func (c *call) holdBack(ctx context.Context, e rewind.Ended) (note string, back []rewind.Change) {
	read := c.turn.conv.Untrusted()
	if !read.Any() {
		return "", nil
	}
	if changed := e.Runs(); len(changed) > 0 && c.turn.session.Info().Mode == policy.Yolo {
		near := c.turn.session.Work.Near
		c.turn.conv.Warn(transcript.NoticeOutside, "A command changed files that tools run by themselves: "+namesOf(changed, near), fmt.Sprintf("%s may have told the model to do this. Review them before the next build or test.", read))
		return "", nil
	}
	return c.putBack(ctx, e, false)
}

// putBack is holdBack after untrusted content. later means that the call has ended, and its
// command goes on in the background: then it is called on another goroutine, which does not
// own the history, and in mode yolo nobody is told.
func (c *call) putBack(ctx context.Context, e rewind.Ended, later bool) (note string, back []rewind.Change) {
	changed := e.Runs()
	if len(changed) == 0 || !c.permission.Unasked || c.turn.session.Info().Mode == policy.Yolo {
		return "", nil
	}
	near := c.turn.session.Work.Near
	ctx = context.WithoutCancel(ctx) // of a cancelled command too
	back, err := e.PutBack(ctx, changed)
	if err != nil {
		c.turn.session.Agent.Log.Error("put back what a command changed", "session", c.turn.session.SessionID, "err", err)
		return fmt.Sprintf("\nNote: the command changed %s, which tools run by themselves, and that could not be put back: %v", namesOf(changed, near), err), nil
	}
	if len(back) == 0 {
		return "", nil
	}
	note = fmt.Sprintf("\nNote: the command changed %s, which tools of the project run by themselves. After content from outside that needs the user's approval, so it was put back.", namesOf(back, near))
	if c.proposes(ctx, e, back, later) {
		return note + " The change is proposed to the user, who decides later; go on without it.", back
	}
	return note + " Make the change with an edit if it is needed.", back
}

// proposes proposes changes of a command to a user who reviews edits, with the call. It
// reports whether it did.
func (c *call) proposes(ctx context.Context, e rewind.Ended, changed []rewind.Change, later bool) bool {
	s := c.turn.session
	if !s.Agent.Client.Abilities().Reviews {
		return false
	}
	set, err := e.Propose(ctx, c.asCommand(), changed)
	if err != nil {
		s.Agent.Log.Error("propose what a command changed", "session", s.SessionID, "err", err)
		return false
	}
	if !later {
		c.set, c.hunkStates = set.ID, statesOf(set)
	}
	return true
}

func namesOf(l []rewind.Change, near func(string) string) string {
	names := make([]string, len(l))
	for i, x := range l {
		names[i] = tools.ShownLine(near(x.Name), 200)
	}
	return strings.Join(names, ", ")
}
