package command

import (
	"cmp"
	"context"
	"fmt"

	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/internal/rpc"
	"github.com/emendo-dev/emendo/lsp/chat"
	"github.com/emendo-dev/emendo/lsp/client"
)

// edited answers emendo.edit to a client that draws. The item of the task says more.
type edited struct {
	TaskID     string                `json:"taskId"`
	StopReason transcript.StopReason `json:"stopReason,omitzero"` // empty: it failed
	Proposed   bool                  `json:"proposed"`            // it has proposed edits
}

// edit has code edited beside the conversations, for a client that draws: what it proposes is
// in the editor.
func (t *Table) edit(ctx context.Context, a client.TargetArgs) (rpc.Work, error) {
	if !t.Client.Can.View {
		return t.about(tasks["emendo.edit"], a)
	}
	at, p, err := t.target(a)
	if err != nil {
		return nil, err
	}
	text := cmp.Or(a.Instruction, defaultEdit) + fmt.Sprintf(editReach, at.words())
	p.Blocks = []transcript.Block{{Type: transcript.TextBlock, Text: text}, at.block(p.Snapshot)}
	run := t.startAside(ctx, chat.Aside{Mode: "default", Like: a.SessionID, Prompt: p}, at.task("edit", a.Instruction))
	return func(ctx context.Context) (any, error) {
		said, _ := run(ctx)
		return edited{said.ID, said.Stopped, said.Proposed}, nil
	}, nil
}

// startAside begins a task beside the conversations. The function that it returns runs it to
// its end: it returns what the view says of it then, and why it failed.
func (t *Table) startAside(ctx context.Context, a chat.Aside, x view.Task) func(ctx context.Context) (view.Task, error) {
	run, stop := t.Chat.Turns.StartAside(ctx, a)
	task := t.Tasks.Begin(x, stop)
	return func(ctx context.Context) (view.Task, error) {
		var end state.Ended
		err := t.Client.Contain(func() (err error) {
			end, err = run(task)
			return err
		})
		task.End(func(x *view.Task) {
			x.Stopped, x.Answer = end.StopReason, end.Text
			if err != nil {
				failed, help := client.FailureOf(ctx, err).Describe()
				x.Failed, x.Help = &failed, help
			}
		})
		return task.Shown(), err
	}
}
