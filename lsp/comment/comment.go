// Package comment serves the user's comments on lines: it takes and lists them, sends those
// that wait as one prompt, and tells the client of changes. The session has the comments, and
// the ledger follows their lines.
package comment

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/internal/rpc"
	"github.com/emendo-dev/emendo/lsp/chat"
	"github.com/emendo-dev/emendo/lsp/client"
)

// Comments has the handlers of a server that deal with comments.
type Comments struct {
	c     *client.Client
	turns *chat.Turns

	mu     sync.Mutex           // held while a list is sent, so that the newest is sent last
	sent   map[string][]comment // what the client has, by session
	sentAt map[string]time.Time
}

// New returns the handlers.
func New(c *client.Client, turns *chat.Turns) *Comments {
	return &Comments{c: c, turns: turns, sent: map[string][]comment{}, sentAt: map[string]time.Time{}}
}

// comment is the wire form of a comment.
type comment struct {
	ID     string    `json:"id"`
	URI    string    `json:"uri"`
	Range  ide.Range `json:"range"`
	Text   string    `json:"text"`
	Quoted string    `json:"quoted"`
	HunkID string    `json:"hunkId,omitzero"`
	Line   *int      `json:"line,omitzero"`
	Round  int       `json:"round,omitzero"`
	Stale  bool      `json:"stale,omitzero"`

	view.Entry // for clients that draw
}

// list is the wire form of the comments of a session.
type list struct {
	SessionID string    `json:"sessionId,omitzero"`
	Comments  []comment `json:"comments"`
}

// describe returns the wire form of the comments of a session.
func (s *Comments) describe(all []transcript.Comment) []comment {
	l := make([]comment, len(all))
	for i, c := range all {
		l[i] = comment{ID: c.ID, URI: c.URI, Range: c.Range, Text: c.Text, Quoted: c.Quoted, HunkID: c.HunkID, Line: c.Line, Round: c.Round, Stale: c.Stale}
		if s.c.Can.View {
			l[i].Entry = view.CommentEntry(c)
		}
	}
	return l
}

type addParams struct {
	SessionID string     `json:"sessionId"`
	URI       string     `json:"uri"`
	Range     *ide.Range `json:"range"`
	HunkID    string     `json:"hunkId"`
	Line      *int       `json:"line"`
	Text      string     `json:"text"`
}

type added struct {
	ID string `json:"id"`
}

// Add answers emendo/comment/add. The range is valid for the text that the client has when it
// sends the request.
func (s *Comments) Add(_ context.Context, p addParams) (rpc.Work, error) {
	if err := client.Require(p.SessionID, "sessionId"); err != nil {
		return nil, err
	}
	n := agent.NewComment{URI: p.URI, HunkID: p.HunkID, Line: p.Line, Text: p.Text, Snapshot: s.c.Workspace.Snapshot()}
	switch {
	case strings.TrimSpace(p.Text) == "":
		return nil, client.Invalid("invalid params: text is missing")
	case p.HunkID == "" && (p.URI == "" || p.Range == nil):
		return nil, client.Invalid("invalid params: a comment needs uri and range, or hunkId")
	case p.HunkID == "":
		n.Range = *p.Range
	}
	return func(ctx context.Context) (any, error) {
		ses, err := s.c.Host.Session(ctx, p.SessionID)
		if err != nil {
			return nil, err
		}
		id, err := agent.CommentsOf(ses).Add(ctx, n)
		if err != nil {
			return nil, err
		}
		s.c.Touch()
		return added{id}, nil
	}, nil
}

type listParams struct {
	SessionID string `json:"sessionId"`
	Round     *int   `json:"round"`
}

// List answers emendo/comment/list.
func (s *Comments) List(ctx context.Context, p listParams) (any, error) {
	if err := client.Require(p.SessionID, "sessionId"); err != nil {
		return nil, err
	}
	ses, err := s.c.Host.Session(ctx, p.SessionID)
	if err != nil {
		return nil, err
	}
	comments := agent.CommentsOf(ses)
	comments.Refresh(ctx)
	all := comments.List()
	if p.Round != nil {
		all = slices.DeleteFunc(all, func(c transcript.Comment) bool { return c.Round != *p.Round })
	}
	return list{Comments: s.describe(all)}, nil
}

type editParams struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

// Edit answers emendo/comment/edit.
func (s *Comments) Edit(ctx context.Context, p editParams) (any, error) {
	if strings.TrimSpace(p.Text) == "" {
		return nil, client.Invalid("invalid params: text is missing")
	}
	return s.change(ctx, p.ID, func(a *agent.Agent) error { return a.EditComment(ctx, p.ID, p.Text) })
}

type removeParams struct {
	ID string `json:"id"`
}

// Remove answers emendo/comment/remove.
func (s *Comments) Remove(ctx context.Context, p removeParams) (any, error) {
	return s.change(ctx, p.ID, func(a *agent.Agent) error { return a.RemoveComment(ctx, p.ID) })
}

// change changes a comment.
func (s *Comments) change(ctx context.Context, id string, do func(*agent.Agent) error) (any, error) {
	if err := client.Require(id, "id"); err != nil {
		return nil, err
	}
	h, err := s.c.Host.Get(ctx)
	if err == nil {
		err = do(h.Agent)
	}
	if err != nil {
		return nil, err
	}
	s.c.Touch()
	return struct{}{}, nil
}

// SendParams are the params of emendo/comment/send, and of the command emendo.sendComments.
type SendParams struct {
	SessionID string `json:"sessionId"`
	Text      string `json:"text"`
}

// Send answers emendo/comment/send: all comments that wait are one prompt.
func (s *Comments) Send(_ context.Context, p SendParams) (rpc.Work, error) {
	if err := client.Require(p.SessionID, "sessionId"); err != nil {
		return nil, err
	}
	focus := s.c.Focus.Current()
	prompt := state.Prompt{Snapshot: s.c.Workspace.Snapshot(), Focus: &focus}
	return s.turns.Offer(p.SessionID, func(ctx context.Context, ses *agent.Session) (state.Prompt, func(), error) {
		taken, release := agent.CommentsOf(ses).TakeWaiting(ctx)
		for _, c := range taken {
			prompt.Blocks = append(prompt.Blocks, c.Block())
		}
		if strings.TrimSpace(p.Text) != "" {
			prompt.Blocks = append(prompt.Blocks, transcript.Block{Type: transcript.TextBlock, Text: p.Text})
		}
		over := func() {
			release()
			s.c.Touch()
		}
		if len(prompt.Blocks) == 0 {
			over()
			return prompt, nil, client.Invalid("there are neither comments nor a text to send")
		}
		return prompt, over, nil
	}), nil
}

// sendWait is the least time between two lists of a session.
const sendWait = 100 * time.Millisecond

// SendChanged sends the lists of comments that have changed, and returns after how long to call
// it again; 0 is never.
func (s *Comments) SendChanged(now time.Time) (again time.Duration) {
	h := s.c.Host.Current()
	if h == nil || !s.c.Can.Comments {
		return 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	open := map[string]bool{}
	for _, ses := range h.Agent.Open() {
		open[ses.ID()] = true
		l, before := s.describe(agent.CommentsOf(ses).List()), s.sent[ses.ID()]
		if len(l)+len(before) == 0 || reflect.DeepEqual(l, before) {
			continue
		}
		if wait := s.sentAt[ses.ID()].Add(sendWait).Sub(now); wait > 0 {
			if again == 0 || wait < again {
				again = wait
			}
			continue
		}
		s.sent[ses.ID()], s.sentAt[ses.ID()] = l, now
		s.c.Notify(s.c.Life(), "emendo/comment/didChange", list{ses.ID(), l})
	}
	for id := range s.sent {
		if !open[id] {
			delete(s.sent, id)
			delete(s.sentAt, id)
		}
	}
	return again
}
