package lsp

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/emendo-dev/emendo/acp"
	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/internal/rpc"
)

type sessionParams struct {
	SessionID string `json:"sessionId"`
}

// oneSession is the answer of everything that changes a session.
type oneSession struct {
	Session acp.SessionInfo `json:"session"`
}

type newSessionParams struct {
	Cwd   string `json:"cwd"`
	Mode  string `json:"mode"`
	Model string `json:"model"`
}

func (s *server) newSession(ctx context.Context, p newSessionParams) (any, error) {
	ses, err := s.createSession(ctx, p)
	if err != nil {
		return nil, err
	}
	return oneSession{acp.SessionInfoOf(ses.Info())}, nil
}

// createSession makes a session in the workspace's folders, or, when it is to
// be elsewhere, there alone.
func (s *server) createSession(ctx context.Context, p newSessionParams) (*agent.Session, error) {
	n := agent.NewSession{Model: p.Model, Roots: s.roots()}
	if p.Mode != "" {
		m, err := agent.ParseMode(p.Mode)
		if err != nil {
			return nil, rpc.Errorf(rpc.InvalidParams, "%v", err)
		}
		n.Mode = m
	}
	switch {
	case p.Cwd != "":
		if !filepath.IsAbs(p.Cwd) {
			return nil, rpc.Errorf(rpc.InvalidParams, "cwd %q is not an absolute path", p.Cwd)
		}
		if n.Cwd = disk.RealPath(p.Cwd); !isFolder(n.Cwd) {
			return nil, rpc.Errorf(rpc.InvalidParams, "cwd %s is no folder", n.Cwd)
		}
		if !slices.Contains(n.Roots, n.Cwd) {
			n.Roots = []string{n.Cwd}
		}
	case len(n.Roots) > 0:
		n.Cwd = n.Roots[0]
	default:
		return nil, rpc.Errorf(rpc.InvalidParams, "there is no folder to work in: open one, or name a cwd")
	}
	h, err := s.needHost(ctx)
	if err != nil {
		return nil, err
	}
	if h.Include != nil {
		n.Roots = h.Include(n.Roots)
	}
	return h.Agent.Create(ctx, n)
}

func (s *server) loadSession(ctx context.Context, p sessionParams) (any, error) {
	ses, err := s.session(ctx, p.SessionID)
	if err != nil {
		return nil, err
	}
	if err := ses.Load(ctx); err != nil {
		return nil, err
	}
	return struct {
		oneSession
		Elsewhere bool `json:"elsewhere,omitzero"`
	}{oneSession{acp.SessionInfoOf(ses.Info())}, ses.Elsewhere()}, nil
}

type listSessionsParams struct {
	Cwd    string `json:"cwd"`
	Query  string `json:"query"`
	Cursor string `json:"cursor"`
	Limit  int    `json:"limit"`
}

func (s *server) listSessions(ctx context.Context, p listSessionsParams) (any, error) {
	if p.Limit < 0 {
		return nil, rpc.Errorf(rpc.InvalidParams, "the limit %d is less than none", p.Limit)
	}
	if p.Cwd != "" {
		p.Cwd = disk.RealPath(p.Cwd)
	}
	h, err := s.needHost(ctx)
	if err != nil {
		return nil, err
	}
	l, next, err := h.Agent.List(agent.Listing{Cwd: p.Cwd, Query: p.Query, Cursor: p.Cursor, Limit: p.Limit})
	if err != nil {
		return nil, err
	}
	infos := make([]acp.SessionInfo, len(l))
	for i, x := range l {
		infos[i] = acp.SessionInfoOf(x)
	}
	return struct {
		Sessions   []acp.SessionInfo `json:"sessions"`
		NextCursor string            `json:"nextCursor,omitzero"`
	}{infos, next}, nil
}

type renameParams struct {
	SessionID string `json:"sessionId"`
	Title     string `json:"title"`
}

func (s *server) renameSession(ctx context.Context, p renameParams) (any, error) {
	if err := need(p.Title, "title"); err != nil {
		return nil, err
	}
	return s.changeSession(ctx, p.SessionID, func(ses *agent.Session) error { return ses.Rename(p.Title) })
}

type forkParams struct {
	SessionID string `json:"sessionId"`
	TurnID    string `json:"turnId"`
}

func (s *server) forkSession(ctx context.Context, p forkParams) (any, error) {
	if err := need(p.SessionID, "sessionId"); err != nil {
		return nil, err
	}
	h, err := s.needHost(ctx)
	if err != nil {
		return nil, err
	}
	ses, err := h.Agent.Fork(ctx, p.SessionID, p.TurnID)
	if err != nil {
		return nil, err
	}
	return oneSession{acp.SessionInfoOf(ses.Info())}, nil
}

type modeParams struct {
	SessionID string `json:"sessionId"`
	Mode      string `json:"mode"`
}

func (s *server) setMode(ctx context.Context, p modeParams) (any, error) {
	m, err := agent.ParseMode(p.Mode)
	if err != nil {
		return nil, rpc.Errorf(rpc.InvalidParams, "%v", err)
	}
	return s.changeSession(ctx, p.SessionID, func(ses *agent.Session) error { return ses.SetMode(m) })
}

type modelParams struct {
	SessionID string `json:"sessionId"`
	Model     string `json:"model"`
}

func (s *server) setModel(ctx context.Context, p modelParams) (any, error) {
	if err := need(p.Model, "model"); err != nil {
		return nil, err
	}
	return s.changeSession(ctx, p.SessionID, func(ses *agent.Session) error { return ses.SetModel(p.Model) })
}

func (s *server) changeSession(ctx context.Context, id string, change func(*agent.Session) error) (any, error) {
	ses, err := s.session(ctx, id)
	if err != nil {
		return nil, err
	}
	if err := change(ses); err != nil {
		return nil, err
	}
	s.announce.touch()
	return oneSession{acp.SessionInfoOf(ses.Info())}, nil
}

// closeSession ends a session's turn. The agent keeps the session: hunks of it
// may be pending, and what becomes of them is recorded in its log.
func (s *server) closeSession(ctx context.Context, p sessionParams) (any, error) {
	if _, err := s.session(ctx, p.SessionID); err != nil {
		return nil, err
	}
	select {
	case <-s.turns.drop(p.SessionID):
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	h, err := s.needHost(ctx)
	if err != nil {
		return nil, err
	}
	s.current.forget(p.SessionID)
	s.announce.touch()
	return nil, h.Agent.Release(ctx, p.SessionID)
}

func (s *server) deleteSession(ctx context.Context, p sessionParams) (any, error) {
	if err := need(p.SessionID, "sessionId"); err != nil {
		return nil, err
	}
	h, err := s.needHost(ctx)
	if err != nil {
		return nil, err
	}
	if err := h.Agent.Delete(ctx, p.SessionID); err != nil {
		return nil, err
	}
	s.current.forget(p.SessionID)
	return nil, nil
}

type replayParams struct {
	SessionID string `json:"sessionId"`
	FromSeq   int64  `json:"fromSeq"`
}

func (s *server) replaySession(ctx context.Context, p replayParams) (any, error) {
	ses, err := s.session(ctx, p.SessionID)
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
