package serve

import (
	"context"
	"encoding/json"

	"github.com/emendo-dev/emendo/acp"
	"github.com/emendo-dev/emendo/acp/failure"
	"github.com/emendo-dev/emendo/acp/preview"
	"github.com/emendo-dev/emendo/internal/rpc"
)

// wantsPreview reports whether the client is to be served by the preview of version 2.
func (s *server) wantsPreview(raw json.RawMessage) bool {
	var p struct {
		Version int `json:"protocolVersion"`
	}
	return s.o.Preview && json.Unmarshal(raw, &p) == nil && p.Version >= preview.Version
}

// initializePreview answers initialize of version 2.
func (s *server) initializePreview(raw json.RawMessage) (rpc.Work, error) {
	p, err := rpc.Decode[preview.InitializeParams](raw)
	switch {
	case err != nil:
		return nil, err
	case s.initialized:
		return nil, rpc.Errorf(rpc.InvalidRequest, "the agent is already initialized")
	}
	s.client.Can, s.client.Translate = preview.ReadAbilities(p.Capabilities), preview.Outgoing
	s.updates.Said = s.turns.NoteShown
	s.requests = s.previewRequests()
	s.initialized = true
	r := preview.Initialized(acp.Implementation{Name: "emendo", Title: "emendo", Version: s.o.Version}, s.authMethods())
	return func(context.Context) (any, error) { return r, nil }, nil
}

// previewRequests maps the methods of version 2 to their handlers.
func (s *server) previewRequests() map[string]rpc.Prepare {
	return map[string]rpc.Prepare{
		"auth/login":                rpc.Later(s.authenticate),
		"auth/logout":               rpc.Later(func(context.Context, struct{}) (any, error) { return acp.Supported{}, nil }), // credentials are not this connection's
		"session/new":               translated(s.sessions.New),
		"session/resume":            translated(s.resumePreview),
		"session/list":              rpc.Later(s.sessions.List),
		"session/close":             rpc.Later(s.sessions.Close),
		"session/delete":            rpc.Later(s.sessions.Delete),
		"session/prompt":            rpc.InOrder(s.turns.Accept),
		"session/set_config_option": translated(s.sessions.SetOption),
	}
}

// translated is [rpc.Later] for a handler whose result is of version 1.
func translated[P any](f func(context.Context, P) (any, error)) rpc.Prepare {
	return rpc.Later(func(ctx context.Context, p P) (any, error) {
		r, err := f(ctx, p)
		if err != nil {
			return nil, err
		}
		return preview.Result(r)
	})
}

func (s *server) resumePreview(ctx context.Context, p preview.ResumeParams) (any, error) {
	switch {
	case p.ReplayFrom == nil:
		return s.sessions.Resume(ctx, p.OpenParams)
	case p.ReplayFrom.Type != "start":
		return nil, failure.Invalid("replayFrom: unknown type %q: want start", p.ReplayFrom.Type)
	}
	return s.sessions.Load(ctx, p.OpenParams)
}
