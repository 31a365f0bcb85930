package chat

import (
	"context"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/lsp/request"
	"github.com/emendo-dev/emendo/tools"
)

// contextItem is something that the model was given.
type contextItem struct {
	Kind   string       `json:"kind"`
	Source string       `json:"source"`
	Size   int          `json:"size"`
	Reason string       `json:"reason"`
	Origin tools.Origin `json:"origin"`
}

type contextItems struct {
	Items []contextItem `json:"items"`
}

func itemsOf(ses *agent.Session) contextItems {
	items := []contextItem{}
	for _, i := range ses.Context() {
		items = append(items, contextItem(i))
	}
	return contextItems{items}
}

// ListContext answers emendo/context/list.
func (s *Sessions) ListContext(ctx context.Context, p sessionParams) (any, error) {
	ses, err := s.host.Session(ctx, p.SessionID)
	if err != nil {
		return nil, err
	}
	return itemsOf(ses), nil
}

type excludeParams struct {
	SessionID string `json:"sessionId"`
	Kind      string `json:"kind"`
	URI       string `json:"uri"`
	On        *bool  `json:"on"`
}

// ExcludeContext answers emendo/context/exclude.
func (s *Sessions) ExcludeContext(ctx context.Context, p excludeParams) (any, error) {
	if p.On == nil {
		return nil, request.Invalid("invalid params: on is missing")
	}
	e := transcript.Exclusion{Kind: p.Kind}
	if p.URI != "" {
		path := ide.ParseURI(p.URI).Path()
		if path == "" {
			return nil, request.Invalid("%s is not a file", p.URI)
		}
		e.Path = disk.RealPath(path)
	}
	if err := e.Check(); err != nil {
		return nil, request.Invalid("%v", err)
	}
	ses, err := s.host.Session(ctx, p.SessionID)
	if err != nil {
		return nil, err
	}
	if err := ses.Exclude(e, *p.On); err != nil {
		return nil, err
	}
	return itemsOf(ses), nil
}
