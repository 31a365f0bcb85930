package chat

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/emendo-dev/emendo/acp"
	"github.com/emendo-dev/emendo/acp/client"
	"github.com/emendo-dev/emendo/acp/failure"
	"github.com/emendo-dev/emendo/acp/host"
	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/internal/paths"
	"github.com/emendo-dev/emendo/internal/rpc"
)

// Sessions answers requests about sessions.
type Sessions struct {
	Client  *client.Client
	Hosts   *host.Hosts
	Turns   *Turns
	Updates *Updates
	Store   *transcript.Store // of all sessions
	Mode    policy.Mode       // of new sessions; empty: by the settings
	Cwd     string            // of the process, absolute; for sessions whose folder is gone
}

// checked returns the folder that a client names and the further ones, with links resolved,
// once it has checked the MCP servers beside them.
func checked(p acp.OpenParams) (cwd string, all []string, err error) {
	for i, f := range append([]string{p.Cwd}, p.AdditionalDirectories...) {
		name := "cwd"
		if i > 0 {
			name = fmt.Sprintf("additionalDirectories[%d]", i-1)
		}
		switch {
		case f == "":
			return "", nil, failure.Invalid("%s is missing", name)
		case !filepath.IsAbs(f):
			return "", nil, failure.Invalid("%s: %q is not an absolute path", name, f)
		}
		if f = disk.RealPath(f); !paths.IsFolder(f) {
			return "", nil, failure.Invalid("%s: %s is not a folder", name, f)
		}
		if !slices.Contains(all, f) {
			all = append(all, f)
		}
	}
	return all[0], all, checkServers(p.MCPServers)
}

// checkServers checks the MCP servers that a client hands over.
func checkServers(l []acp.MCPServer) error {
	for i, s := range l {
		at := fmt.Sprintf("mcpServers[%d]", i)
		switch {
		case s.Name == "":
			return failure.Invalid("%s.name is missing", at)
		case s.Type == "" && s.Command == "" || s.Type == "stdio" && s.Command == "":
			return failure.Invalid("%s.command is missing", at)
		case (s.Type == "http" || s.Type == "sse") && s.URL == "":
			return failure.Invalid("%s.url is missing", at)
		case !slices.Contains([]string{"", "stdio", "http", "sse"}, s.Type):
			return failure.Invalid("%s.type: unknown transport %q: want stdio, http or sse", at, s.Type)
		}
	}
	return nil
}

// New answers session/new.
func (s *Sessions) New(ctx context.Context, p acp.OpenParams) (any, error) {
	cwd, roots, err := checked(p)
	if err != nil {
		return nil, err
	}
	h, err := s.Hosts.ForFolder(ctx, cwd)
	if err != nil {
		return nil, err
	}
	if h.Include != nil {
		roots = h.Include(roots)
	}
	ses, err := h.Agent.Create(ctx, agent.NewSession{Cwd: cwd, Roots: roots, Mode: s.Mode})
	if err != nil {
		return nil, err
	}
	opened := &host.Session{ID: ses.ID(), Host: h, Folder: cwd}
	h.Serve(ses.ID(), p.MCPServers)
	s.Hosts.Open(opened)
	return s.opened(ctx, opened, ses, ses.ID()), nil
}

// Load answers session/load: it shows the history.
func (s *Sessions) Load(ctx context.Context, p acp.OpenParams) (any, error) {
	opened, ses, err := s.open(ctx, p)
	if err != nil {
		return nil, err
	}
	if err := ses.Load(ctx); err != nil {
		return nil, err
	}
	return s.opened(ctx, opened, ses, ""), nil
}

// Resume answers session/resume: it does not show the history.
func (s *Sessions) Resume(ctx context.Context, p acp.OpenParams) (any, error) {
	opened, ses, err := s.open(ctx, p)
	if err != nil {
		return nil, err
	}
	return s.opened(ctx, opened, ses, ""), nil
}

// open opens a stored session in the folder in which it was created.
func (s *Sessions) open(ctx context.Context, p acp.OpenParams) (*host.Session, *agent.Session, error) {
	if p.SessionID == "" {
		return nil, nil, failure.Invalid("sessionId is missing")
	}
	cwd, roots, err := checked(p)
	if err != nil {
		return nil, nil, err
	}
	h, err := s.Hosts.ForFolder(ctx, cwd)
	if err != nil {
		return nil, nil, err
	}
	ses, err := h.Agent.Session(ctx, p.SessionID)
	if err != nil {
		return nil, nil, err
	}
	if at := ses.Info().Cwd; at != cwd {
		if err := h.Agent.Release(ctx, p.SessionID); err != nil {
			s.Client.Log.Warn("close a session", "session", p.SessionID, "error", err)
		}
		return nil, nil, failure.Invalid("cwd: session %s works in %s, not in %s", p.SessionID, at, cwd)
	}
	opened := &host.Session{ID: ses.ID(), Host: h, Folder: cwd}
	for _, r := range roots {
		if !slices.Contains(ses.State.Work.Roots(), r) {
			opened.Added = append(opened.Added, r)
		}
	}
	h.Serve(ses.ID(), p.MCPServers)
	s.Hosts.Open(opened)
	return opened, ses, nil
}

// sessionState is what emendo adds to the answer for a session.
type sessionState struct {
	Session   acp.SessionInfo `json:"session"`
	Trusted   bool            `json:"trusted"`
	Elsewhere bool            `json:"elsewhere,omitzero"` // another process runs a turn of it
}

// opened answers a request that opens a session. The client knows the session once it
// has the answer, so the commands follow it.
func (s *Sessions) opened(ctx context.Context, o *host.Session, ses *agent.Session, id string) any {
	info := ses.Info()
	return rpc.Then{
		Result: acp.Opened{
			SessionID: id, Modes: acp.ModesOf(info.Mode), Options: s.Updates.options(info),
			Meta: acp.Meta(sessionState{acp.SessionInfoOf(info), ses.Trusted(), ses.Elsewhere()}),
		},
		Do: func() {
			life := s.Client.Life()
			s.Client.Go(func() {
				s.Updates.showEvent(life, o.ID, transcript.CommandsChanged{Commands: ses.Commands(context.WithoutCancel(ctx))})
			})
			s.Client.Go(func() { s.Updates.findUsableModels(life, o) })
		},
	}
}

// List answers session/list.
func (s *Sessions) List(_ context.Context, p acp.ListParams) (any, error) {
	q := transcript.Listing{Cursor: p.Cursor}
	if p.Cwd != "" {
		if !filepath.IsAbs(p.Cwd) {
			return nil, failure.Invalid("cwd: %q is not an absolute path", p.Cwd)
		}
		q.Cwd = disk.RealPath(p.Cwd)
	}
	l, next, err := s.Store.List(q)
	if err != nil {
		return nil, err
	}
	out := acp.Sessions{Sessions: make([]acp.ListedSession, len(l)), NextCursor: next}
	for i, x := range l {
		out.Sessions[i] = acp.ListedSessionOf(x)
	}
	return out, nil
}

// Close answers session/close: it ends the session's turn.
func (s *Sessions) Close(ctx context.Context, p acp.SessionParams) (any, error) {
	o, err := s.Hosts.Session(p.SessionID)
	if err != nil {
		return nil, err
	}
	if err := s.Turns.end(ctx, p.SessionID); err != nil {
		return nil, err
	}
	s.Hosts.Forget(p.SessionID)
	if err := o.Host.Agent.Release(ctx, p.SessionID); err != nil {
		return nil, err
	}
	return acp.Supported{}, nil
}

// Delete answers session/delete. The session need not be open.
func (s *Sessions) Delete(ctx context.Context, p acp.SessionParams) (any, error) {
	if p.SessionID == "" {
		return nil, failure.Invalid("sessionId is missing")
	}
	h, err := s.hostOf(ctx, p.SessionID)
	if err != nil {
		return nil, err
	}
	if err := h.Agent.Delete(ctx, p.SessionID); err != nil {
		return nil, err
	}
	s.Hosts.Forget(p.SessionID)
	return acp.Supported{}, nil
}

// hostOf returns the host that has a session, or should have a stored one.
func (s *Sessions) hostOf(ctx context.Context, id string) (*host.Host, error) {
	if o, err := s.Hosts.Session(id); err == nil {
		return o.Host, nil
	}
	info, _, err := s.Store.Read(id)
	if err != nil {
		return nil, err
	}
	if !paths.IsFolder(info.Cwd) {
		info.Cwd = s.Cwd
	}
	return s.Hosts.ForFolder(ctx, info.Cwd)
}

// SetMode answers session/set_mode.
func (s *Sessions) SetMode(ctx context.Context, p acp.ModeParams) (any, error) {
	info, err := s.change(ctx, p.SessionID, func(ses *agent.Session) error { return setMode(ses, p.ModeID) })
	if err != nil {
		return nil, err
	}
	return rpc.Then{Result: acp.Supported{}, Do: func() {
		s.Client.Go(func() { s.Updates.tellOptions(s.Client.Life(), p.SessionID, info) })
	}}, nil
}

func setMode(ses *agent.Session, id string) error {
	m, err := policy.ParseMode(id)
	if err != nil {
		return failure.Invalid("%v", err)
	}
	return ses.SetMode(m)
}

// SetOption answers session/set_config_option.
func (s *Sessions) SetOption(ctx context.Context, p acp.OptionParams) (any, error) {
	var value string
	if err := json.Unmarshal(p.Value, &value); err != nil || value == "" {
		return nil, failure.Invalid("value: want the ID of a value, which is a string")
	}
	info, err := s.change(ctx, p.SessionID, func(ses *agent.Session) error {
		switch p.ConfigID {
		case acp.ModeOption:
			return setMode(ses, value)
		case acp.ModelOption:
			return ses.SetModel(value)
		}
		return failure.Invalid("unknown option %q: want %s or %s", p.ConfigID, acp.ModeOption, acp.ModelOption)
	})
	if err != nil {
		return nil, err
	}
	result := struct {
		Options []acp.ConfigOption `json:"configOptions"`
	}{s.Updates.options(info)}
	if p.ConfigID != acp.ModeOption {
		return result, nil
	}
	return rpc.Then{Result: result, Do: func() {
		s.Client.Go(func() { s.Updates.showEvent(s.Client.Life(), p.SessionID, transcript.ModeChanged{Mode: info.Mode}) })
	}}, nil
}

func (s *Sessions) change(ctx context.Context, id string, change func(*agent.Session) error) (transcript.SessionInfo, error) {
	o, err := s.Hosts.Session(id)
	if err != nil {
		return transcript.SessionInfo{}, err
	}
	ses, err := o.Agent(ctx)
	if err != nil {
		return transcript.SessionInfo{}, err
	}
	if err := change(ses); err != nil {
		return transcript.SessionInfo{}, err
	}
	return ses.Info(), nil
}
