package chat

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"

	"github.com/emendo-dev/emendo/acp"
	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/internal/rpc"
	"github.com/emendo-dev/emendo/lsp/client"
	"github.com/emendo-dev/emendo/tools"
)

// contextItem is something that the model was given, or would be.
type contextItem struct {
	Kind   string       `json:"kind"`
	Source string       `json:"source"`
	URI    string       `json:"uri,omitzero"` // of a file
	Size   int          `json:"size"`
	Reason string       `json:"reason"`
	Origin tools.Origin `json:"origin"`
}

func contextItemsOf(l []transcript.ContextItem) []contextItem {
	items := []contextItem{}
	for _, i := range l {
		item := contextItem{Kind: i.Kind, Source: i.Source, Size: i.Size, Reason: i.Reason, Origin: i.Origin}
		if filepath.IsAbs(i.Source) {
			item.URI = string(ide.FileURI(i.Source))
		}
		items = append(items, item)
	}
	return items
}

type contextItems struct {
	Items    []contextItem `json:"items"`
	Withheld []withheld    `json:"withheld,omitzero"` // of the next prompt
}

// withheld is a file that a prompt names and that would not be sent.
type withheld struct {
	Title  string `json:"title"`
	Reason string `json:"reason"`
}

func itemsOf(ses *agent.Session) contextItems {
	return contextItems{Items: contextItemsOf(ses.State.Record.Sent())}
}

type listContextParams struct {
	SessionID string            `json:"sessionId"`
	Next      bool              `json:"next"`
	Prompt    []json.RawMessage `json:"prompt"`
	Context   *bool             `json:"context"`
	Exclude   []exclusion       `json:"exclude"`
}

// ListContext answers emendo/context/list: what the last step was given, or what the
// next prompt would carry, as the editor is when the request comes.
func (t *Turns) ListContext(_ context.Context, p listContextParams) (rpc.Work, error) {
	draft := state.Prompt{Snapshot: t.c.Workspace.Snapshot()}
	if p.Next {
		blocks, err := acp.Blocks(p.Prompt)
		if err != nil && !errors.Is(err, transcript.ErrNoPrompt) {
			return nil, client.Invalid("%v", err)
		}
		draft.Blocks = blocks
		if draft.Exclude, err = exclusionsOf(p.Exclude); err != nil {
			return nil, err
		}
		if p.Context == nil || *p.Context {
			draft.Focus = new(t.c.Focus.Current())
		}
	}
	return func(ctx context.Context) (any, error) {
		ses, err := t.c.Host.Session(ctx, p.SessionID)
		if err != nil {
			return nil, err
		}
		if !p.Next {
			return itemsOf(ses), nil
		}
		list, notices := ses.Preview(ctx, draft)
		out := contextItems{Items: contextItemsOf(list)}
		for _, n := range notices {
			out.Withheld = append(out.Withheld, withheld{n.Title, n.Description})
		}
		return out, nil
	}, nil
}

// exclusion names something to leave out of the context.
type exclusion struct {
	Kind string `json:"kind"`
	URI  string `json:"uri"`
}

// exclusionOf checks what a client names.
func exclusionOf(x exclusion) (transcript.Exclusion, error) {
	e := transcript.Exclusion{Kind: x.Kind}
	if x.URI != "" {
		path := ide.ParseURI(x.URI).Path()
		if path == "" {
			return e, client.Invalid("%s is not a file", x.URI)
		}
		e.Path = disk.RealPath(path)
	}
	if err := e.Check(); err != nil {
		return e, client.Invalid("%v", err)
	}
	return e, nil
}

func exclusionsOf(l []exclusion) (out transcript.Exclusions, err error) {
	for _, x := range l {
		e, err := exclusionOf(x)
		if err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	return out, nil
}

type excludeParams struct {
	SessionID string `json:"sessionId"`
	On        *bool  `json:"on"`
	exclusion
}

// ExcludeContext answers emendo/context/exclude.
func (s *Sessions) ExcludeContext(ctx context.Context, p excludeParams) (any, error) {
	if p.On == nil {
		return nil, client.Invalid("invalid params: on is missing")
	}
	e, err := exclusionOf(p.exclusion)
	if err != nil {
		return nil, err
	}
	ses, err := s.c.Host.Session(ctx, p.SessionID)
	if err != nil {
		return nil, err
	}
	if err := ses.Exclude(e, *p.On); err != nil {
		return nil, err
	}
	return itemsOf(ses), nil
}

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
	h, err := s.c.Host.Get(ctx)
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
