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
	"github.com/emendo-dev/emendo/agent/view"
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
	Group  *view.Text   `json:"group,omitzero"` // its kind, to a client that draws
	view.Entry
}

func contextItemsOf(l []transcript.ContextItem, said bool) []contextItem {
	items := []contextItem{}
	for _, i := range l {
		item := contextItem{Kind: i.Kind, Source: i.Source, Size: i.Size, Reason: i.Reason, Origin: i.Origin}
		if filepath.IsAbs(i.Source) {
			item.URI = string(ide.FileURI(i.Source))
		}
		if said {
			item.Group = new(view.ContextName(i.Kind, ""))
			item.Entry = view.ContextEntry(i.Kind, i.Source, i.Reason, i.Origin)
		}
		items = append(items, item)
	}
	return items
}

type contextItems struct {
	Items    []contextItem `json:"items"`
	Withheld []withheld    `json:"withheld,omitzero"` // of the next prompt
	LeftOut  []leftOut     `json:"leftOut,omitzero"`  // to a client that draws
	Chips    []chip        `json:"chips,omitzero"`    // likewise, of the next prompt
}

// leftOut is something that the user keeps from the model.
type leftOut struct {
	Kind    string `json:"kind,omitzero"`    // empty: every kind
	URI     string `json:"uri,omitzero"`     // empty: every file
	Session bool   `json:"session,omitzero"` // not of the next prompt alone
	view.Entry
}

func leftOutOf(l transcript.Exclusions, session bool) (out []leftOut) {
	for _, x := range l {
		o := leftOut{Kind: x.Kind, Session: session, Entry: view.LeftOutEntry(x.Kind, x.Path, session)}
		if x.Path != "" {
			o.URI = string(ide.FileURI(x.Path))
		}
		out = append(out, o)
	}
	return out
}

// withheld is a file that a prompt names and that would not be sent.
type withheld struct {
	Title  string `json:"title"`
	Reason string `json:"reason"`
	view.Entry
}

// itemsOf returns what the last step was given, and what of the session is left out.
func itemsOf(ses *agent.Session, said bool) contextItems {
	out := contextItems{Items: contextItemsOf(ses.State.Record.Sent(), said)}
	if said {
		out.LeftOut = leftOutOf(ses.State.Record.Exclusions(), true)
	}
	return out
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
			return itemsOf(ses, t.c.Can.View), nil
		}
		list, notices := ses.Preview(ctx, draft)
		said := t.c.Can.View
		out := contextItems{Items: contextItemsOf(list, said)}
		for _, n := range notices {
			w := withheld{Title: n.Title, Reason: n.Description}
			if said {
				w.Entry = view.WithheldEntry(n.Title, n.Description)
			}
			out.Withheld = append(out.Withheld, w)
		}
		if said {
			out.LeftOut = append(leftOutOf(draft.Exclude, false), leftOutOf(ses.State.Record.Exclusions(), true)...)
			out.Chips = t.chipsOf(ctx, ses, draft, out)
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
	return itemsOf(ses, s.c.Can.View), nil
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
