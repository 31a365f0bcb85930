// Package command runs the commands of workspace/executeCommand. Each takes one
// object, or nothing, since some clients cannot send arguments; without arguments
// it uses the focus and the current session, or shows what can be chosen.
package command

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/emendo-dev/emendo/internal/rpc"
	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/lsp/chat"
	"github.com/emendo-dev/emendo/lsp/chatdoc"
	"github.com/emendo-dev/emendo/lsp/client"
	"github.com/emendo-dev/emendo/lsp/question"
	"github.com/emendo-dev/emendo/lsp/review"
)

// Options have what the commands need of the server.
type Options struct {
	Client    *client.Client
	Host      *client.Lazy
	Folders   *client.Folders
	Questions *question.Asker
	Review    *review.Review
	Chat      *chat.Chat
	Documents *chatdoc.Documents
	Chats     *chatdoc.Requests
	Models    []client.ModelInfo
	LogFile   string // empty if there is none
}

// Table has the commands by name.
type Table struct {
	client   *client.Client
	chats    *chatdoc.Documents
	commands map[string]rpc.Prepare
}

// New returns the table of all commands.
func New(o Options) *Table {
	asks := &asks{o.Client, o.Review.Hunks, o.Chat.Turns}
	shows := &shows{o.Client, o.Documents, o.Chats, o.LogFile}
	sessions := &sessions{o.Client, o.Chat, shows, o.Models}
	questions := &questions{o.Client, o.Questions}
	trust := &trust{o.Client, o.Host, o.Folders}
	decide := o.Review.Decider
	t := &Table{o.Client, o.Documents, map[string]rpc.Prepare{
		"emendo.ask":  rpc.On(asks.ask),
		"emendo.send": rpc.On(o.Chats.Send),

		"emendo.accept":    rpc.On(decide.Accept),
		"emendo.reject":    rpc.On(decide.Reject),
		"emendo.acceptAll": rpc.On(decide.AcceptAll),
		"emendo.rejectAll": rpc.On(decide.RejectAll),
		"emendo.nextHunk":  rpc.On(decide.NextHunk),
		"emendo.prevHunk":  rpc.On(decide.PrevHunk),

		"emendo.newSession": rpc.Later(sessions.create),
		"emendo.cancel":     rpc.On(sessions.cancel),
		"emendo.setMode":    rpc.Later(sessions.setMode),
		"emendo.setModel":   rpc.Later(sessions.setModel),
		"emendo.rewind":     rpc.Later(sessions.rewind),
		"emendo.compact":    rpc.Later(sessions.compact),
		"emendo.putBack":    rpc.Later(sessions.putBack),

		"emendo.chat":       rpc.Later(shows.chat),
		"emendo.showLog":    rpc.Later(shows.log),
		"emendo.permission": rpc.Later(questions.permission),
		"emendo.trust":      rpc.Later(trust.trust),
	}}
	for name, x := range tasks {
		t.commands[name] = rpc.On(func(_ context.Context, a client.TargetArgs) (rpc.Work, error) { return asks.about(x, a) })
	}
	return t
}

// Names returns the names of the commands, sorted.
func (t *Table) Names() []string { return slices.Sorted(maps.Keys(t.commands)) }

// Execute answers workspace/executeCommand.
func (t *Table) Execute(ctx context.Context, p client.ExecuteParams) (rpc.Work, error) {
	t.client.Commanded()
	defer t.chats.Commanded()
	work, err := t.prepare(ctx, p)
	if err != nil {
		t.tell(ctx, err)
		return nil, err
	}
	if work == nil {
		return nil, nil
	}
	return func(ctx context.Context) (any, error) {
		result, err := work(ctx)
		if err != nil {
			t.tell(ctx, err)
		}
		return result, err
	}, nil
}

// tell shows the error of a command to the user of a client that does not.
func (t *Table) tell(ctx context.Context, err error) {
	if t.client.Can.HidesErrors && ctx.Err() == nil {
		t.client.Error(ctx, "emendo: "+visible.Text(err.Error()))
	}
}

// prepare begins a command.
func (t *Table) prepare(ctx context.Context, p client.ExecuteParams) (rpc.Work, error) {
	run := t.commands[p.Command]
	if run == nil {
		return nil, client.Invalid("unknown command %q", p.Command)
	}
	var args json.RawMessage
	if len(p.Arguments) > 0 {
		args = p.Arguments[0]
	}
	return run(ctx, args)
}

// inBackground runs what a command does that calls the model or edits open
// files. A client without emendo's plugin is answered null at once and told the
// outcome by a message: eglot reports no change of a document while it waits for
// a command, and gives up after some seconds. The plugin gets the outcome as the
// answer.
func inBackground(ctx context.Context, c *client.Client, do func(context.Context) (result any, text string, err error)) (any, error) {
	if c.Can.Session {
		result, text, err := do(ctx)
		if err == nil {
			c.Info(ctx, text)
		}
		return result, err
	}
	life := c.Life()
	running := c.Go(func() {
		switch _, text, err := do(life); {
		case life.Err() != nil:
		case err != nil:
			c.Error(life, "emendo: "+visible.Text(err.Error()))
		default:
			c.Info(life, text)
		}
	})
	if !running {
		return nil, rpc.ErrClosed
	}
	return nil, nil
}
