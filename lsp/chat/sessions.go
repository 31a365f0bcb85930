package chat

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/emendo-dev/emendo/acp"
	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/internal/paths"
	"github.com/emendo-dev/emendo/lsp/client"
)

// Sessions answers requests about sessions, their models and the rules that decide in them.
type Sessions struct {
	c       *client.Client
	current *Current
	running *running
	infos   *Infos
	models  []client.ModelInfo // that can be chosen by name

	// Gone is called once a session was closed or deleted; may be nil. It is set before the
	// first request.
	Gone func(sessionID string)
}

// forget notes that a session was closed or deleted.
func (s *Sessions) forget(id string) {
	s.current.forget(id)
	if s.Gone != nil {
		s.Gone(id)
	}
}

type sessionParams struct {
	SessionID string `json:"sessionId"`
}

// OneSession answers requests that make or change a session.
type OneSession struct {
	Session Listed `json:"session"`
}

// Result returns the answer for a session.
func (s *Sessions) Result(ses *agent.Session) OneSession {
	return OneSession{s.infos.describe(ses.Info())}
}

// opened answers a request that creates or loads a session.
type opened struct {
	OneSession
	Commands []acp.AvailableCommand `json:"commands"` // of the session
}

func (s *Sessions) opened(ctx context.Context, ses *agent.Session) opened {
	return opened{s.Result(ses), acp.Commands(ses.Commands(ctx))}
}

// NewParams are the params of emendo/session/new.
type NewParams struct {
	Cwd       string `json:"cwd"`
	Mode      string `json:"mode"`
	Model     string `json:"model"`
	Ephemeral bool   `json:"ephemeral"`
}

// New answers emendo/session/new.
func (s *Sessions) New(ctx context.Context, p NewParams) (any, error) {
	ses, err := s.Create(ctx, p)
	if err != nil {
		return nil, err
	}
	return s.opened(ctx, ses), nil
}

// Create makes a session in the workspace's folders, or in another one alone.
func (s *Sessions) Create(ctx context.Context, p NewParams) (*agent.Session, error) {
	return s.create(ctx, p, "")
}

// Restore makes a session again that was not stored, since it had no prompt.
func (s *Sessions) Restore(ctx context.Context, id string) (*agent.Session, error) {
	return s.create(ctx, NewParams{}, id)
}

// create is Create for a session with an ID; empty: a new one.
func (s *Sessions) create(ctx context.Context, p NewParams, id string) (*agent.Session, error) {
	n := agent.NewSession{ID: id, Model: p.Model, Roots: s.c.Folders.Roots(), Ephemeral: p.Ephemeral}
	if p.Mode != "" {
		m, err := policy.ParseMode(p.Mode)
		if err != nil {
			return nil, client.Invalid("%v", err)
		}
		n.Mode = m
	}
	switch {
	case p.Cwd != "":
		if !filepath.IsAbs(p.Cwd) {
			return nil, client.Invalid("cwd %q is not an absolute path", p.Cwd)
		}
		if n.Cwd = disk.RealPath(p.Cwd); !paths.IsFolder(n.Cwd) {
			return nil, client.Invalid("cwd %s is not a folder", n.Cwd)
		}
		if !slices.Contains(n.Roots, n.Cwd) {
			n.Roots = []string{n.Cwd}
		}
	case len(n.Roots) > 0:
		n.Cwd = n.Roots[0]
	default:
		return nil, client.Invalid("no folder to work in: open one, or pass cwd")
	}
	h, err := s.c.Host.Get(ctx)
	if err != nil {
		return nil, err
	}
	n.Roots = h.Program.Include(n.Roots)
	return h.Agent.Create(ctx, n)
}

// Load answers emendo/session/load.
func (s *Sessions) Load(ctx context.Context, p sessionParams) (any, error) {
	ses, err := s.c.Host.Session(ctx, p.SessionID)
	if err != nil {
		return nil, err
	}
	if err := ses.Load(ctx); err != nil {
		return nil, err
	}
	return s.loaded(ctx, ses), nil
}

// loaded answers a request that loads a session.
type loaded struct {
	opened
	Elsewhere bool `json:"elsewhere,omitzero"`
}

func (s *Sessions) loaded(ctx context.Context, ses *agent.Session) loaded {
	return loaded{s.opened(ctx, ses), ses.Elsewhere()}
}

type listSessionsParams struct {
	Cwd    string `json:"cwd"`
	Query  string `json:"query"`
	Cursor string `json:"cursor"`
	Limit  int    `json:"limit"`
}

// List answers emendo/session/list.
func (s *Sessions) List(ctx context.Context, p listSessionsParams) (any, error) {
	if p.Limit < 0 {
		return nil, client.Invalid("invalid params: limit %d is negative", p.Limit)
	}
	if p.Cwd != "" {
		p.Cwd = disk.RealPath(p.Cwd)
	}
	h, err := s.c.Host.Get(ctx)
	if err != nil {
		return nil, err
	}
	l, next, err := h.Agent.List(transcript.Listing{Cwd: p.Cwd, Query: p.Query, Cursor: p.Cursor, Limit: p.Limit})
	if err != nil {
		return nil, err
	}
	infos := make([]Listed, len(l))
	for i, x := range l {
		infos[i] = s.infos.describe(x)
	}
	return struct {
		Sessions   []Listed `json:"sessions"`
		NextCursor string   `json:"nextCursor,omitzero"`
	}{infos, next}, nil
}

// RenameParams are the params of emendo/session/rename.
type RenameParams struct {
	SessionID string `json:"sessionId"`
	Title     string `json:"title"`
}

// Rename answers emendo/session/rename.
func (s *Sessions) Rename(ctx context.Context, p RenameParams) (any, error) {
	if err := client.Require(p.Title, "title"); err != nil {
		return nil, err
	}
	return s.change(ctx, p.SessionID, func(ses *agent.Session) error { return ses.Rename(p.Title) })
}

type forkParams struct {
	SessionID string `json:"sessionId"`
	TurnID    string `json:"turnId"`
}

// Fork answers emendo/session/fork.
func (s *Sessions) Fork(ctx context.Context, p forkParams) (any, error) {
	if err := client.Require(p.SessionID, "sessionId"); err != nil {
		return nil, err
	}
	ses, err := s.Copy(ctx, p.SessionID, p.TurnID)
	if err != nil {
		return nil, err
	}
	return s.Result(ses), nil
}

// Copy copies a session up to and including a turn; without one, all of it.
func (s *Sessions) Copy(ctx context.Context, sessionID, turnID string) (*agent.Session, error) {
	h, err := s.c.Host.Get(ctx)
	if err != nil {
		return nil, err
	}
	return h.Agent.Fork(ctx, sessionID, turnID)
}

// Another makes a session without turns in the folder of one, with its mode and model.
func (s *Sessions) Another(ctx context.Context, sessionID string) (*agent.Session, error) {
	ses, err := s.c.Host.Session(ctx, sessionID)
	if err != nil {
		return nil, err
	}
	i := ses.Info()
	p := NewParams{Cwd: i.Cwd, Model: i.Model}
	if !i.Mode.Acts() || ses.Trusted() {
		p.Mode = string(i.Mode)
	}
	return s.Create(ctx, p)
}

// ModeParams are the params of emendo/session/setMode.
type ModeParams struct {
	SessionID string `json:"sessionId"`
	Mode      string `json:"mode"`
}

// SetMode answers emendo/session/setMode.
func (s *Sessions) SetMode(ctx context.Context, p ModeParams) (any, error) {
	m, err := policy.ParseMode(p.Mode)
	if err != nil {
		return nil, client.Invalid("%v", err)
	}
	return s.change(ctx, p.SessionID, func(ses *agent.Session) error { return ses.SetMode(m) })
}

// ModelParams are the params of emendo/session/setModel.
type ModelParams struct {
	SessionID string `json:"sessionId"`
	Model     string `json:"model"`
}

// SetModel answers emendo/session/setModel.
func (s *Sessions) SetModel(ctx context.Context, p ModelParams) (any, error) {
	if err := client.Require(p.Model, "model"); err != nil {
		return nil, err
	}
	return s.change(ctx, p.SessionID, func(ses *agent.Session) error { return ses.SetModel(p.Model) })
}

func (s *Sessions) change(ctx context.Context, id string, change func(*agent.Session) error) (any, error) {
	ses, err := s.c.Host.Session(ctx, id)
	if err != nil {
		return nil, err
	}
	if err := change(ses); err != nil {
		return nil, err
	}
	s.c.Touch()
	return s.Result(ses), nil
}

// Close answers emendo/session/close: it ends the session's turns. The agent keeps
// the session: its hunks may be pending, and decisions on them go to its log.
func (s *Sessions) Close(ctx context.Context, p sessionParams) (any, error) {
	if _, err := s.c.Host.Session(ctx, p.SessionID); err != nil {
		return nil, err
	}
	if err := s.running.abandonAll(ctx, p.SessionID); err != nil {
		return nil, err
	}
	h, err := s.c.Host.Get(ctx)
	if err != nil {
		return nil, err
	}
	s.forget(p.SessionID)
	s.c.Touch()
	return nil, h.Agent.Release(ctx, p.SessionID)
}

// Delete answers emendo/session/delete.
func (s *Sessions) Delete(ctx context.Context, p sessionParams) (any, error) {
	if err := client.Require(p.SessionID, "sessionId"); err != nil {
		return nil, err
	}
	return nil, s.Remove(ctx, p.SessionID)
}

// Remove deletes a session.
func (s *Sessions) Remove(ctx context.Context, sessionID string) error {
	h, err := s.c.Host.Get(ctx)
	if err != nil {
		return err
	}
	if err := h.Agent.Delete(ctx, sessionID); err != nil {
		return err
	}
	s.forget(sessionID)
	return nil
}

type exportParams struct {
	SessionID string `json:"sessionId"`
	Format    string `json:"format"`
}

// Export answers emendo/session/export.
func (s *Sessions) Export(ctx context.Context, p exportParams) (any, error) {
	if p.Format != "markdown" && p.Format != "json" {
		return nil, client.Invalid("format %q: want markdown or json", p.Format)
	}
	h, err := s.c.Host.Get(ctx)
	if err != nil {
		return nil, err
	}
	if err := client.Require(p.SessionID, "sessionId"); err != nil {
		return nil, err
	}
	text, err := h.Program.Export(p.SessionID, p.Format)
	if err != nil {
		return nil, err
	}
	return struct {
		Text string `json:"text"`
	}{text}, nil
}

type replayParams struct {
	SessionID string `json:"sessionId"`
	FromSeq   int64  `json:"fromSeq"`
}

// Replay answers emendo/session/replay.
func (s *Sessions) Replay(ctx context.Context, p replayParams) (any, error) {
	ses, err := s.c.Host.Session(ctx, p.SessionID)
	if err != nil {
		return nil, err
	}
	l, next, err := ses.Replay(p.FromSeq)
	if err != nil {
		return nil, err
	}
	updates := make([]update, len(l))
	for i, u := range l {
		updates[i] = updateOf(u)
	}
	return struct {
		Updates []update `json:"updates"`
		NextSeq int64    `json:"nextSeq"`
	}{updates, next}, nil
}

// OrCurrent returns the session that a command means: the one with the ID, or the
// current one, which is made if there is none.
func (s *Sessions) OrCurrent(ctx context.Context, id string) (*agent.Session, error) {
	if id != "" {
		return s.c.Host.Session(ctx, id)
	}
	if _, err := s.c.Host.Get(ctx); err != nil {
		return nil, err
	}
	s.current.making.Lock() // concurrent commands share one session
	defer s.current.making.Unlock()
	if id := s.current.ID(); id != "" {
		ses, err := s.c.Host.Session(ctx, id)
		if !errors.Is(err, transcript.ErrUnknownSession) { // another process may have deleted it
			return ses, err
		}
	}
	ses, err := s.Create(ctx, NewParams{})
	if err != nil {
		return nil, err
	}
	s.current.Set(ses)
	return ses, nil
}

// Current is the session that commands mean when they name none: the last one
// that was prompted or made by a command.
type Current struct {
	making  sync.Mutex // held while one is made
	session atomic.Pointer[agent.Session]
}

// ID returns the ID of the session, or "".
func (c *Current) ID() string {
	if ses := c.Session(); ses != nil {
		return ses.ID()
	}
	return ""
}

// Session returns the session, or nil.
func (c *Current) Session() *agent.Session { return c.session.Load() }

// Set makes a session the current one.
func (c *Current) Set(ses *agent.Session) { c.session.Store(ses) }

// forget makes no session the current one, if that has the ID.
func (c *Current) forget(id string) {
	if ses := c.Session(); ses != nil && ses.ID() == id {
		c.session.CompareAndSwap(ses, nil)
	}
}
