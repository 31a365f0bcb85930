// Package command runs the commands of workspace/executeCommand. Each takes one
// object, or nothing, since some clients cannot send arguments; without arguments
// it uses the focus and the current session, or shows what can be chosen.
package command

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/internal/rpc"
	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/lsp/chat"
	"github.com/emendo-dev/emendo/lsp/chatdoc"
	"github.com/emendo-dev/emendo/lsp/client"
	"github.com/emendo-dev/emendo/lsp/comment"
	"github.com/emendo-dev/emendo/lsp/present"
	"github.com/emendo-dev/emendo/lsp/question"
	"github.com/emendo-dev/emendo/lsp/review"
)

// Options have what the commands need of the server.
type Options struct {
	Client    *client.Client
	Views     *present.Views
	Questions *question.Asker
	Review    *review.Review
	Chat      *chat.Chat
	Tasks     *present.Tasks
	Documents *chatdoc.Documents
	Chats     *chatdoc.Requests
	Comments  *comment.Comments
	Models    []client.ModelInfo
	LogFile   string // empty if there is none
}

// Table has the commands by name.
type Table struct {
	Options
	commands map[string]rpc.Prepare
}

// New returns the table of all commands.
func New(o Options) *Table {
	t, decide := &Table{Options: o}, o.Review
	t.commands = map[string]rpc.Prepare{
		"emendo.ask":  rpc.InOrder(t.ask),
		"emendo.send": rpc.InOrder(o.Chats.Send),

		"emendo.comment":      rpc.InOrder(t.comment),
		"emendo.sendComments": rpc.InOrder(t.sendComments),

		"emendo.commitMessage":  rpc.InOrder(t.commitMessage),
		"emendo.explainChanges": rpc.InOrder(t.explainChanges),

		"emendo.reviewChanges": rpc.InOrder(t.reviewChanges),
		"emendo.finding":       rpc.InOrder(t.finding),

		"emendo.nextHunk": rpc.InOrder(decide.NextHunk),
		"emendo.prevHunk": rpc.InOrder(decide.PrevHunk),

		"emendo.unreviewed": rpc.InOrder(decide.Unreviewed),

		"emendo.newSession": rpc.Later(t.newSession),
		"emendo.cancel":     rpc.InOrder(t.cancel),
		"emendo.setMode":    rpc.Later(t.setMode),
		"emendo.setModel":   rpc.Later(t.setModel),
		"emendo.rewind":     rpc.Later(t.rewind),
		"emendo.compact":    rpc.Later(t.compact),
		"emendo.putBack":    rpc.Later(t.putBack),

		"emendo.chat":       rpc.Later(t.showChat),
		"emendo.showLog":    rpc.Later(t.showLog),
		"emendo.permission": rpc.Later(t.permission),
		"emendo.trust":      rpc.Later(t.trust),
	}
	for _, do := range []ledger.Action{ledger.Accept, ledger.Reject, ledger.Keep, ledger.Undo} {
		name := "emendo." + string(do)
		t.commands[name] = rpc.InOrder(func(_ context.Context, a client.HunkArgs) (rpc.Work, error) { return decide.Decide(a, do) })
		t.commands[name+"All"] = rpc.InOrder(func(_ context.Context, a review.AllArgs) (rpc.Work, error) { return decide.DecideAll(a, do) })
	}
	for name, x := range tasks {
		t.commands[name] = rpc.InOrder(func(_ context.Context, a client.TargetArgs) (rpc.Work, error) { return t.about(x, a) })
	}
	t.commands["emendo.edit"] = rpc.InOrder(t.edit)
	return t
}

// Names returns the names of the commands, sorted.
func (t *Table) Names() []string { return slices.Sorted(maps.Keys(t.commands)) }

// Execute answers workspace/executeCommand.
func (t *Table) Execute(ctx context.Context, p client.ExecuteParams) (rpc.Work, error) {
	t.Client.Commanded()
	defer t.Documents.Commanded()
	work, err := t.prepare(ctx, p)
	if err != nil {
		t.showError(ctx, err)
		return nil, err
	}
	if work == nil {
		return nil, nil
	}
	return func(ctx context.Context) (any, error) {
		result, err := work(ctx)
		if err != nil {
			t.showError(ctx, err)
		}
		return result, err
	}, nil
}

// showError shows the error of a command to the user of a client that does not.
func (t *Table) showError(ctx context.Context, err error) {
	if t.Client.Can.HidesErrors && ctx.Err() == nil {
		t.Client.Error(ctx, "emendo: "+visible.Text(err.Error()))
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
// outcome by a message, unless that is empty: eglot reports no change of a document while it waits for
// a command, and gives up after some seconds. The plugin gets the outcome as the
// answer.
func (t *Table) inBackground(ctx context.Context, do func(context.Context) (result any, text string, err error)) (any, error) {
	if t.Client.Can.Session {
		result, text, err := do(ctx)
		if err == nil && text != "" {
			t.Client.Info(ctx, text)
		}
		return result, err
	}
	life := t.Client.Life()
	running := t.Client.Go(func() {
		switch _, text, err := do(life); {
		case life.Err() != nil:
		case err != nil:
			t.Client.Error(life, "emendo: "+visible.Text(err.Error()))
		case text != "":
			t.Client.Info(life, text)
		}
	})
	if !running {
		return nil, rpc.ErrClosed
	}
	return nil, nil
}

// permission answers a question. Without arguments it shows the open ones.
func (t *Table) permission(ctx context.Context, p client.PermissionArgs) (any, error) {
	open := t.Questions.Open()
	if p == (client.PermissionArgs{}) {
		if len(open) == 0 {
			t.Client.Info(ctx, "There are no open questions.")
		}
		for _, q := range open {
			t.showQuestion(ctx, q)
		}
		return nil, nil
	}
	for _, q := range open {
		if q.SessionID != p.SessionID || q.CallID != p.CallID {
			continue
		}
		if !slices.ContainsFunc(q.Choices, func(c question.Choice) bool { return c.ID == p.OptionID }) {
			return nil, client.Invalid("unknown option %q. %s", p.OptionID, q.HowToAnswer())
		}
		t.Questions.Answer(q, p.OptionID)
		return nil, nil
	}
	return nil, client.Invalid("no open question about call %q in session %q", p.CallID, p.SessionID)
}

// showQuestion shows a question and the answers. If a diagnostic asks it, it opens the
// document there.
func (t *Table) showQuestion(ctx context.Context, q *question.Question) {
	uri, line := t.Questions.Locate(q)
	if uri == "" {
		t.Client.Info(ctx, q.Text+"\n\n"+q.HowToAnswer())
		return
	}
	t.Client.Info(ctx, "emendo "+t.Questions.Where(q)+"\n\n"+q.Text+"\n\nThe answers are: "+q.Titles())
	t.Client.ShowDocument(uri, &line)
}

type chatArgs struct {
	SessionID string `json:"sessionId"`
}

// fileResult answers a command with the file that it opens.
type fileResult struct {
	URI string `json:"uri"`
}

// showChat opens the document of a session at the last answer, or names it to a client that
// cannot open it.
func (t *Table) showChat(ctx context.Context, p chatArgs) (any, error) {
	ses, err := t.Chats.Session(ctx, p.SessionID)
	if err != nil {
		return nil, err
	}
	return t.showDocument(ctx, ses)
}

// showDocument shows the document of a session.
func (t *Table) showDocument(ctx context.Context, ses *agent.Session) (any, error) {
	shown, err := t.Documents.Open(ctx, ses.ID())
	if err != nil {
		return nil, err
	}
	return t.show(ctx, shown), nil
}

// show has the client show a document, or names it to one that cannot.
func (t *Table) show(ctx context.Context, shown chatdoc.Shown) any {
	switch {
	case t.Client.Can.ShowDocument:
		t.Client.ShowDocument(shown.URI, &shown.Range)
	case shown.Waits: // the user sees it, and wants the rest
	default:
		t.Client.Info(ctx, "The conversation is in "+shown.Path)
	}
	return fileResult{shown.URI}
}

// showLog opens the server's log, or shows the user where it is.
func (t *Table) showLog(ctx context.Context, _ struct{}) (any, error) {
	if t.LogFile == "" {
		t.Client.Info(ctx, "There is no log file; emendo logs to standard error.")
		return nil, nil
	}
	uri := string(ide.FileURI(t.LogFile))
	if t.Client.Can.ShowDocument {
		t.Client.ShowDocument(uri, nil)
	} else {
		t.Client.Info(ctx, "The log file is "+t.LogFile)
	}
	return fileResult{uri}, nil
}
