package turn

import (
	"context"

	"github.com/emendo-dev/emendo/agent/rewind"
	"github.com/emendo-dev/emendo/tools"
)

func (c *call) asCommand() rewind.Call {
	return rewind.Call{TurnID: c.turn.ID, ID: c.made.CallID, Title: c.made.Title, Round: c.turn.session.Info().Round()}
}

// commandEnded deals with what a command has changed when its call ends: some of it is put
// back, and the rest becomes a change set, off the path of the turn. A command that continues
// in the background is followed; before it the session had that many. It returns notes for the
// model.
func (c *call) commandEnded(ctx context.Context, e rewind.Ended, jobs int) (note string) {
	if _, runs := c.action.Effect.(tools.Runs); !runs {
		return ""
	}
	t := c.turn
	s := t.session
	held, back := c.holdBack(ctx, e)
	note = e.Before() + held + e.Note(s.Work.Near)
	ctx = context.WithoutCancel(ctx) // what a cancelled command has changed too
	command := c.asCommand()         // as it is now: a hook may have another call follow
	t.drawing.Add(func() { e.Draw(ctx, command, back) })
	all := s.Jobs.List()
	if len(all) <= jobs {
		return note
	}
	t.noteUncovered(all[len(all)-1])
	t.watch.Follow(ctx, e, all[len(all)-1].Over(), t.conv.Untrusted().Any(), func(e rewind.Ended, doubted bool) string {
		if !doubted {
			e.Draw(ctx, command, nil)
			return ""
		}
		held, back := c.putBack(ctx, e, true)
		e.Draw(ctx, command, back)
		return held
	})
	return note
}
