package chat

import (
	"context"

	"github.com/emendo-dev/emendo/lsp/client"

	"github.com/emendo-dev/emendo/agent"
)

type diffParams struct {
	URI   string   `json:"uri"`
	Of    string   `json:"of"`
	Files []string `json:"files"`
}

type diffResult struct {
	Text    string `json:"text"`
	Of      string `json:"of"`
	LeftOut int    `json:"leftOut"`
}

// Diff answers emendo/workspace/diff, so that clients run no git and know no names
// of secrets.
func (s *Sessions) Diff(ctx context.Context, p diffParams) (any, error) {
	if p.Of != "" && p.Of != "staged" && p.Of != "uncommitted" {
		return nil, client.Invalid("invalid params: of is \"staged\" or \"uncommitted\"")
	}
	h, err := s.host.Need(ctx)
	if err != nil {
		return nil, err
	}
	d, err := h.Agent.Diff(ctx, agent.DiffOf{URI: p.URI, Of: p.Of, Files: p.Files})
	if err != nil {
		return nil, err
	}
	of := "uncommitted"
	if d.Staged {
		of = "staged"
	}
	return diffResult{d.Text, of, d.Left}, nil
}
