package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/emendo-dev/emendo/acp/failure"
	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/internal/rpc"
	"github.com/emendo-dev/emendo/lsp/chat"
	"github.com/emendo-dev/emendo/lsp/chatdoc"
	"github.com/emendo-dev/emendo/lsp/client"
	"github.com/emendo-dev/emendo/lsp/command"
	"github.com/emendo-dev/emendo/lsp/comment"
	"github.com/emendo-dev/emendo/lsp/companion"
	"github.com/emendo-dev/emendo/lsp/complete"
	"github.com/emendo-dev/emendo/lsp/lists"
	"github.com/emendo-dev/emendo/lsp/present"
	"github.com/emendo-dev/emendo/lsp/question"
	"github.com/emendo-dev/emendo/lsp/review"
	"github.com/emendo-dev/emendo/lsp/terminal"
)

// lastGrace limits the wait for tasks at the end of a server, after the
// connection's own grace period.
const lastGrace = 500 * time.Millisecond

// phase is a phase in the life of a server.
type phase int

const (
	waiting phase = iota // for initialize
	serving
	shutDown
)

// server serves one client. It owns the lifecycle and sends each message to its
// handler.
type server struct {
	o    Options
	log  *slog.Logger
	conn *rpc.Conn

	phase               phase       // owned by the read loop
	exitWithoutShutdown atomic.Bool // the client sent exit without shutdown

	client        *client.Client
	open          openDocuments
	questions     *question.Asker
	review        *review.Review
	comments      *comment.Comments
	terminals     *terminal.Terminals
	chat          *chat.Chat
	lists         *lists.Lists
	views         *present.Views
	documents     *chatdoc.Documents
	chats         *chatdoc.Requests
	commands      *command.Table
	completer     *complete.Completer
	companion     *companion.Companion
	sharing       *sharing
	configuration *configuration
	user          *userChoices
	status        *statusTeller
	surroundings  *surroundings

	requests      map[string]rpc.Prepare
	notifications map[string]rpc.Notified
}

func newServer(r io.Reader, w io.Writer, o Options) *server {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := &server{o: o, log: o.Log}
	s.conn = rpc.NewConn(r, w, s, rpc.Options{Bug: failure.ErrBug, Log: o.Log, Grace: lastGrace, MaxQueue: o.MaxQueue})
	c := client.New(s.conn, o.Log, s, o.Cwd)
	s.client = c
	s.open = openDocuments{c: c}
	s.user = &userChoices{}
	s.user.trust.Store(AskTrust)
	s.user.setSettings(nil)
	s.configuration = &configuration{client: c}
	s.sharing = &sharing{client: c, folder: o.Editors}
	s.companion = companion.New(companion.Options{Client: c, Version: o.Version})
	s.completer = complete.New(c)
	s.documents = chatdoc.New(c)
	s.chat = chat.New(c, o.Models, s.documents)
	s.lists = lists.New(c)
	s.views = present.New(c, s.chat, s.lists)
	c.Messages = s.views
	s.chats = chatdoc.NewRequests(s.documents, s.chat, s.completer)
	s.questions = question.New(c, s.chat, s.views, s.documents)
	s.review = review.New(c, s.questions, s.chat.Current, s.chats)
	s.comments = comment.New(c, s.chat.Turns)
	s.terminals = terminal.New(c)
	s.status = &statusTeller{client: c, chat: s.chat, review: s.review, views: s.views}
	s.surroundings = newSurroundings(s.status, s.views)
	s.commands = command.New(command.Options{
		Client: c, Views: s.views, Questions: s.questions, Review: s.review, Chat: s.chat, Tasks: s.views.Tasks, Documents: s.documents, Chats: s.chats, Comments: s.comments,
		Models: o.Models, LogFile: o.LogFile,
	})
	s.requests = s.allRequests()
	s.notifications = s.allNotifications()
	return s
}

// FocusMoved implements [client.Server].
func (s *server) FocusMoved() {
	s.companion.Changed()
	s.surroundings.focusMoved()
}

// FoldersChanged implements [client.Server].
func (s *server) FoldersChanged() {
	s.client.Touch()
	s.companion.FoldersChanged()
	s.sharing.foldersChanged()
}

// HostTried implements [client.Server].
func (s *server) HostTried() {
	s.surroundings.hostTried()
	s.client.Touch()
	s.followCompanion()
	s.share()
}

// announce sends the client what has changed, until the server ends. It is one goroutine;
// whoever has news leaves it with its owner, calls [client.Client.Touch] and does not wait.
func (s *server) announce() {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-s.client.Touched():
		case <-timer.C:
		case <-s.client.Life().Done():
			return
		}
		_ = s.client.Contain(func() error {
			s.status.tell()
			now := time.Now()
			next := s.surroundings.putChanged(now)
			if next = sooner(next, sooner(sooner(s.review.Announcer.Announce(now), s.comments.SendChanged(now)), s.views.SendChanged(now))); next > 0 {
				timer.Reset(next)
			}
			s.chat.Infos.SendChanged()
			return nil
		})
	}
}

// sooner returns the shorter of two times; 0 is never.
func sooner(a, b time.Duration) time.Duration {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}

// serve serves the client until the connection ends, and then shuts everything
// down.
func (s *server) serve(ctx context.Context) error {
	if s.o.ClientPID != 0 {
		s.client.Go(func() { s.watchParent(s.o.ClientPID) })
	}
	err := s.conn.Run(ctx)
	s.close()
	if err == nil && s.exitWithoutShutdown.Load() {
		return ErrNoShutdown
	}
	return err
}

// close waits for the tasks and closes the host, within the grace period.
func (s *server) close() {
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.companion.Close()
		s.sharing.close()
		s.terminals.Close()
		s.client.Wait()
		s.client.Host.Close()
	}()
	select {
	case <-done:
	case <-time.After(lastGrace):
		s.log.Error("the server ended before its tasks did", "after", lastGrace)
	}
}

// MakeHost implements [client.Server]. It connects the handlers that announce the host's
// events.
func (s *server) MakeHost() (*Host, error) {
	s.configuration.await()
	life := s.client.Life()
	h, err := s.o.Start(life, Start{Client: agentClient{s.chat.Turns, s.views, s.questions, s.client}, Editor: s.client, Workspace: s.client.Workspace, Folders: s.client.Folders.Open(), User: hostUser{s}})
	if err != nil {
		return nil, fmt.Errorf("start the agent: %w", err)
	}
	h.Ledger.Watch(s.review.Announcer.NoteChangeSet)
	h.Ledger.Watch(s.views.NoteChangeSet)
	h.Ledger.Watch(s.views.NoteCallChanges)
	h.Ledger.Watch(s.companion.NoteChangeSet)
	h.Ledger.Watch(s.views.Tasks.NoteChangeSet)
	ledger.MarksOf(h.Ledger).Watch(s.client.Touch)
	h.Agent.Process.Findings.Watch(s.review.Announcer.NoteFindings)
	h.Agent.Process.Available.Watch(s.chat.Sessions.ModelsChanged)
	for _, w := range h.Warnings {
		s.client.Warn(life, w)
	}
	return h, nil
}

// followCompanion turns the companion on or off according to the user's settings.
func (s *server) followCompanion() {
	h := s.client.Host.Current()
	if h == nil {
		return
	}
	s.client.Go(func() {
		life := s.client.Life()
		if err := s.companion.Set(life, h, h.Program.Companion()); err != nil && life.Err() == nil {
			s.client.Warn(life, err.Error())
		}
	})
}

// share shows other processes what the editor has open.
func (s *server) share() {
	if h := s.client.Host.Current(); h != nil {
		s.client.Go(func() { s.sharing.begin(h) })
	}
}

// agentClient implements [frontend.Client] for the agent.
type agentClient struct {
	turns  *chat.Turns
	views  *present.Views
	asker  *question.Asker
	client *client.Client
}

var (
	_ frontend.Elicitor = agentClient{}
	_ frontend.Follower = agentClient{}
	_ frontend.Rewinder = agentClient{}
)

// Show implements [frontend.Client].
func (c agentClient) Show(ctx context.Context, u transcript.Update) error {
	c.views.Show(ctx, u)
	return c.turns.Show(ctx, u)
}

// Ask implements [frontend.Client].
func (c agentClient) Ask(ctx context.Context, q frontend.Question) (frontend.Answer, error) {
	return c.asker.Ask(ctx, q)
}

// Elicit implements [frontend.Elicitor].
func (c agentClient) Elicit(ctx context.Context, e frontend.Elicitation) (frontend.Elicited, error) {
	return c.asker.Elicit(ctx, e)
}

// Abilities implements [frontend.Client]. Asks is always set: if the user cannot be
// asked, the asker shows why a call was refused.
func (c agentClient) Abilities() frontend.Abilities {
	can := c.client.Can
	return frontend.Abilities{Reviews: can.Reviews(), Asks: true, Queue: can.Queue, Saves: can.Save}
}

// Rewound implements [frontend.Rewinder].
func (c agentClient) Rewound(sessionID string, b transcript.Back) {
	c.views.Rewound(sessionID, b)
	c.turns.Rewound(sessionID, b)
}

// happened are the params of emendo/session/event.
type happened struct {
	SessionID string         `json:"sessionId"`
	Event     string         `json:"event"`
	Data      frontend.Event `json:"data"`
}

// Happened implements [frontend.Follower].
func (c agentClient) Happened(sessionID string, e frontend.Event) {
	c.views.Happened(sessionID, e)
	if c.client.Can.Events {
		c.client.Notify(c.client.Life(), "emendo/session/event", happened{sessionID, e.Kind(), e})
	}
}

// Notification implements [rpc.Handler].
func (s *server) Notification(_ context.Context, method string, params json.RawMessage) error {
	if method == "exit" {
		s.exitWithoutShutdown.Store(s.phase != shutDown)
		return s.conn.Close()
	}
	if s.phase != serving {
		return rpc.Errorf(rpc.InvalidRequest, "%s is ignored before initialize and after shutdown", method)
	}
	handle := s.notifications[method]
	if handle == nil {
		return rpc.ErrMethodNotFound
	}
	return handle(params)
}

// Request implements [rpc.Handler].
func (s *server) Request(ctx context.Context, method string, params json.RawMessage) (rpc.Work, error) {
	switch {
	case method == "initialize" && s.phase == waiting:
		return s.initialize(params)
	case method == "initialize":
		return nil, rpc.Errorf(rpc.InvalidRequest, "the server is already initialized")
	case s.phase == waiting:
		return nil, rpc.ErrServerNotInitialized
	case s.phase == shutDown:
		return nil, rpc.Errorf(rpc.InvalidRequest, "the server is shut down")
	case method == "shutdown":
		s.phase = shutDown
		return s.shutdown, nil
	}
	handle := s.requests[method]
	if handle == nil {
		return nil, rpc.ErrMethodNotFound
	}
	work, err := handle(ctx, params)
	if err != nil || work == nil {
		return nil, s.client.Failed(ctx, err)
	}
	return func(ctx context.Context) (any, error) {
		result, err := work(ctx)
		return result, s.client.Failed(ctx, err)
	}, nil
}

// shutdown ends every turn before it answers.
func (s *server) shutdown(ctx context.Context) (any, error) {
	grace, stop := context.WithTimeoutCause(ctx, lastGrace, errTurnsRun)
	defer stop()
	if err := s.chat.Turns.End(grace); errors.Is(err, errTurnsRun) {
		s.log.Error("turns did not end", "after", lastGrace)
	}
	if h := s.client.Host.Current(); h != nil {
		h.Agent.EndSessions(ctx)
	}
	return nil, nil
}

var errTurnsRun = errors.New("turns are still running")

// allRequests maps methods to their handlers.
func (s *server) allRequests() map[string]rpc.Prepare {
	sessions, turns, changes, actions := s.chat.Sessions, s.chat.Turns, s.review, s.review.Actions
	return map[string]rpc.Prepare{
		"emendo/session/new":       rpc.Later(sessions.New),
		"emendo/session/load":      rpc.Later(turns.Load),
		"emendo/session/list":      rpc.Later(sessions.List),
		"emendo/session/rename":    rpc.Later(sessions.Rename),
		"emendo/session/fork":      rpc.Later(sessions.Fork),
		"emendo/session/close":     rpc.Later(sessions.Close),
		"emendo/session/delete":    rpc.Later(sessions.Delete),
		"emendo/session/prompt":    rpc.InOrder(turns.Prompt),
		"emendo/session/inject":    rpc.InOrder(turns.Inject),
		"emendo/session/queue":     rpc.Later(s.chat.Queue.List),
		"emendo/session/editQueue": rpc.Later(s.chat.Queue.Edit),
		"emendo/session/setMode":   rpc.Later(sessions.SetMode),
		"emendo/session/setModel":  rpc.Later(sessions.SetModel),
		"emendo/session/replay":    rpc.Later(sessions.Replay),
		"emendo/session/export":    rpc.Later(sessions.Export),
		"emendo/session/rewind":    rpc.Later(sessions.Rewind),
		"emendo/session/compact":   rpc.Later(sessions.Compact),

		"emendo/view/get":   rpc.Later(s.views.Get),
		"emendo/view/close": rpc.Later(s.views.Close),
		"emendo/view/item":  rpc.Later(s.views.Item),
		"emendo/view/find":  rpc.Later(s.views.Find),
		"emendo/view/act":   rpc.Later(s.views.Act),

		"emendo/models/list": rpc.Later(sessions.ListModels),

		"emendo/policy/list":   rpc.Later(sessions.ListRules),
		"emendo/policy/remove": rpc.Later(sessions.RemoveRule),

		"emendo/mcp/list":       rpc.Later(s.lists.ListServers),
		"emendo/mcp/restart":    rpc.Later(s.lists.Restart),
		"emendo/mcp/signIn":     rpc.Later(s.lists.SignIn),
		"emendo/mcp/signOut":    rpc.Later(s.lists.SignOut),
		"emendo/mcp/setEnabled": rpc.Later(s.lists.SetEnabled(lists.Servers)),

		"emendo/subagents/list":       rpc.Later(s.lists.ListOptionals(lists.Agents)),
		"emendo/subagents/setEnabled": rpc.Later(s.lists.SetEnabled(lists.Agents)),
		"emendo/skills/list":          rpc.Later(s.lists.ListOptionals(lists.Skills)),
		"emendo/skills/setEnabled":    rpc.Later(s.lists.SetEnabled(lists.Skills)),
		"emendo/hooks/list":           rpc.Later(s.lists.ListOptionals(lists.Hooks)),
		"emendo/hooks/setEnabled":     rpc.Later(s.lists.SetEnabled(lists.Hooks)),

		"emendo/prompt/complete": rpc.InOrder(s.completer.Complete),

		"emendo/context/list":    rpc.InOrder(turns.ListContext),
		"emendo/context/exclude": rpc.Later(sessions.ExcludeContext),

		"emendo/workspace/diff": rpc.Later(sessions.Diff),

		"emendo/comment/add":    rpc.InOrder(s.comments.Add),
		"emendo/comment/list":   rpc.Later(s.comments.List),
		"emendo/comment/edit":   rpc.Later(s.comments.Edit),
		"emendo/comment/remove": rpc.Later(s.comments.Remove),
		"emendo/comment/send":   rpc.InOrder(s.comments.Send),

		"emendo/terminal/open":   rpc.Later(s.terminals.Open),
		"emendo/terminal/write":  rpc.InOrder(s.terminals.Write),
		"emendo/terminal/resize": rpc.InOrder(s.terminals.Resize),
		"emendo/terminal/close":  rpc.Later(s.terminals.CloseOne),

		"emendo/changes/list":    rpc.Later(changes.List),
		"emendo/changes/get":     rpc.Later(changes.Get),
		"emendo/changes/diff":    rpc.Later(changes.Compare),
		"emendo/changes/resolve": rpc.Later(changes.Resolve),
		"emendo/changes/propose": rpc.InOrder(changes.Propose),

		"textDocument/codeAction":  rpc.InOrder(actions.CodeAction),
		"codeAction/resolve":       rpc.InOrder(actions.ResolveCodeAction),
		"textDocument/codeLens":    rpc.InOrder(actions.CodeLens),
		"textDocument/hover":       rpc.InOrder(s.hover),
		"workspace/executeCommand": rpc.InOrder(s.commands.Execute),

		"textDocument/completion":     rpc.InOrder(s.chats.Complete),
		"textDocument/documentSymbol": rpc.InOrder(s.chats.Symbols),
		"textDocument/foldingRange":   rpc.InOrder(s.chats.Folds),
		"textDocument/documentLink":   rpc.InOrder(s.chats.Links),
	}
}

// hover answers textDocument/hover.
func (s *server) hover(ctx context.Context, p client.HoverParams) (rpc.Work, error) {
	if s.chats.Serves(ide.ParseURI(p.Document.URI)) {
		return s.chats.Hover(ctx, p)
	}
	return s.review.Actions.Hover(ctx, p)
}

// allNotifications maps methods to their handlers, which run on the read loop.
func (s *server) allNotifications() map[string]rpc.Notified {
	return map[string]rpc.Notified{
		"initialized":            s.initialized,
		"textDocument/didOpen":   rpc.OnNotification(s.open.didOpen),
		"textDocument/didChange": rpc.OnNotification(s.open.didChange),
		"textDocument/didSave":   rpc.OnNotification(s.open.didSave),
		"textDocument/didClose":  rpc.OnNotification(s.open.didClose),

		"workspace/didRenameFiles": rpc.OnNotification(s.open.didRename),

		"workspace/didChangeWorkspaceFolders": rpc.OnNotification(s.client.Folders.DidChange),
		"window/workDoneProgress/cancel":      rpc.OnNotification(s.chat.Turns.CancelProgress),

		"emendo/session/cancel":          rpc.OnNotification(s.chat.Turns.Cancel),
		"emendo/editor/didChangeContext": rpc.OnNotification(s.client.Focus.DidChangeContext),

		"emendo/workspace/didChangeTrust": rpc.OnNotification(s.didChangeTrust),
		"emendo/settings/didChange":       rpc.OnNotification(s.didChangeSettings),

		"workspace/didChangeConfiguration": rpc.OnNotification(s.configuration.didChange),
		"workspace/didChangeWatchedFiles":  rpc.OnNotification(s.documents.FilesChanged),
		"$/setTrace":                       client.Ignore,
	}
}
