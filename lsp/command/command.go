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

		"emendo.nextHunk": rpc.On(decide.NextHunk),
		"emendo.prevHunk": rpc.On(decide.PrevHunk),

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
	for name, do := range map[string]ledger.Action{"emendo.accept": ledger.Accept, "emendo.reject": ledger.Reject} {
		t.commands[name] = rpc.On(func(_ context.Context, a client.HunkArgs) (rpc.Work, error) { return decide.Decide(a, do) })
		t.commands[name+"All"] = rpc.On(func(_ context.Context, a review.DocumentArgs) (rpc.Work, error) { return decide.DecideAll(a, do) })
	}
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

// questions has the command that answers questions.
type questions struct {
	c     *client.Client
	asker *question.Asker
}

// permission answers a question. Without arguments it shows the open ones.
func (s *questions) permission(ctx context.Context, p client.PermissionArgs) (any, error) {
	open := s.asker.Open()
	if p == (client.PermissionArgs{}) {
		if len(open) == 0 {
			s.c.Info(ctx, "There are no open questions.")
		}
		for _, q := range open {
			s.show(ctx, q)
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
		s.asker.Answer(q, p.OptionID)
		return nil, nil
	}
	return nil, client.Invalid("no open question about call %q in session %q", p.CallID, p.SessionID)
}

// show shows a question and the answers. If a diagnostic asks it, it opens the
// document there.
func (s *questions) show(ctx context.Context, q *question.Question) {
	uri, line := s.asker.Locate(q)
	if uri == "" {
		s.c.Info(ctx, q.Text+"\n\n"+q.HowToAnswer())
		return
	}
	s.c.Info(ctx, "emendo "+s.asker.Where(q)+"\n\n"+q.Text+"\n\nThe answers are: "+q.Titles())
	s.c.Show(uri, &line)
}

// shows are the commands that open a file.
type shows struct {
	c         *client.Client
	documents *chatdoc.Documents
	chats     *chatdoc.Requests
	logFile   string
}

type chatArgs struct {
	SessionID string `json:"sessionId"`
}

// fileResult answers a command with the file that it opens.
type fileResult struct {
	URI string `json:"uri"`
}

// chat opens the document of a session at the last answer, or names it to a client that
// cannot open it.
func (s *shows) chat(ctx context.Context, p chatArgs) (any, error) {
	ses, err := s.chats.Session(ctx, p.SessionID)
	if err != nil {
		return nil, err
	}
	return s.document(ctx, ses)
}

// document shows the document of a session.
func (s *shows) document(ctx context.Context, ses *agent.Session) (any, error) {
	shown, err := s.documents.Open(ctx, ses.ID())
	if err != nil {
		return nil, err
	}
	switch {
	case s.c.Can.ShowDocument:
		s.c.Show(shown.URI, &shown.Range)
	case shown.Waits: // the user sees it, and wants the rest
	default:
		s.c.Info(ctx, "The conversation is in "+shown.Path)
	}
	return fileResult{shown.URI}, nil
}

// log opens the server's log, or shows the user where it is.
func (s *shows) log(ctx context.Context, _ struct{}) (any, error) {
	if s.logFile == "" {
		s.c.Info(ctx, "There is no log file; emendo logs to standard error.")
		return nil, nil
	}
	uri := string(ide.FileURI(s.logFile))
	if s.c.Can.ShowDocument {
		s.c.Show(uri, nil)
	} else {
		s.c.Info(ctx, "The log file is "+s.logFile)
	}
	return fileResult{uri}, nil
}
