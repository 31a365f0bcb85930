package complete

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/emendo-dev/emendo/acp"
	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/slash"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/names"
	"github.com/emendo-dev/emendo/internal/rpc"
	"github.com/emendo-dev/emendo/lsp/client"
)

const (
	// most is the maximum number of items in an answer.
	most = 50
	// within limits the wait for the first list of files and for the client's
	// symbols.
	within = 300 * time.Millisecond
)

// Completer completes prompts.
type Completer struct {
	c *client.Client

	indexed sync.Once
	index   *names.Index // once it is indexed
}

// New returns a Completer.
func New(c *client.Client) *Completer { return &Completer{c: c} }

type params struct {
	SessionID string `json:"sessionId"`
	Text      string `json:"text"`
	Offset    *int   `json:"offset"`
}

// span is a range of the prompt's text, in units of the negotiated encoding.
type span struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

// Item is one completion.
type Item struct {
	Label      string          `json:"label"`
	Kind       string          `json:"kind"`
	Detail     string          `json:"detail,omitzero"`
	InsertText string          `json:"insertText"`
	Range      span            `json:"range"`
	Block      json.RawMessage `json:"block,omitzero"`

	score int
}

// IsCommand reports whether it is a slash command.
func (i Item) IsCommand() bool { return i.Kind == commandKind }

// answer is the result of emendo/prompt/complete.
type answer struct {
	Items      []Item `json:"items"`
	Incomplete bool   `json:"incomplete"` // ask again when the user has typed more
}

// commandKind is the kind of slash commands; the other kinds are those of mentions.
const commandKind = "command"

// Complete answers emendo/prompt/complete.
func (x *Completer) Complete(_ context.Context, p params) (rpc.Work, error) {
	if p.Offset == nil || *p.Offset < 0 {
		return nil, client.Invalid("invalid params: offset is missing or negative")
	}
	e := x.c.Workspace.Encoding()
	before := p.Text[:bytesOf(p.Text, *p.Offset, e)]
	start, find, ok := x.Before(p.SessionID, before)
	if !ok {
		return client.Answered(answer{Items: []Item{}}), nil
	}
	at := span{unitsBefore(before[:start], e), unitsBefore(before, e)}
	return func(ctx context.Context) (any, error) {
		items, more, err := find(ctx)
		for i := range items {
			items[i].Range = at
		}
		return answer{items, more}, err
	}, nil
}

// Before returns where the word at the end of a prompt begins, and a function that
// finds what it can become; false if there is nothing to complete. more is true if the user
// should ask again after typing more.
func (x *Completer) Before(sessionID, prompt string) (start int, find func(context.Context) (l []Item, more bool, err error), ok bool) {
	if w, ok := commandBefore(prompt); ok {
		return w.start, func(ctx context.Context) ([]Item, bool, error) {
			known, err := x.commandsOf(ctx, sessionID)
			return commands(known, w.query), false, err
		}, true
	}
	w, ok := mentionBefore(prompt)
	focus, snapshot := x.c.Focus.Current(), x.c.Workspace.Snapshot()
	return w.start, func(ctx context.Context) ([]Item, bool, error) {
		return x.mentions(ctx, sessionID, w.query, focus, snapshot)
	}, ok
}

// mentions returns what can follow an @.
func (x *Completer) mentions(ctx context.Context, sessionID, query string, focus frontend.Focus, snapshot *ide.Snapshot) (l []Item, more bool, err error) {
	h, err := x.c.Host.Get(ctx)
	if err != nil {
		return nil, false, err
	}
	pl, err := x.place(ctx, sessionID)
	if err != nil {
		return nil, false, err
	}
	var symbols symbols
	var asking sync.WaitGroup
	asking.Go(func() {
		_ = x.c.Contain(func() error { symbols = x.symbols(ctx, query); return nil }) // logged
	})
	files := x.files(ctx, h, pl, query, focus, snapshot)
	asking.Wait()
	if ctx.Err() != nil {
		return nil, false, context.Cause(ctx)
	}
	items := append(x.ofEditor(query, pl, focus, snapshot), files.items...)
	items = append(items, symbols.items(query, pl, files.lists)...)
	slices.SortStableFunc(items, func(a, b Item) int { return b.score - a.score })
	more = files.incomplete || symbols.incomplete || len(items) > most
	return append([]Item{}, items[:min(len(items), most)]...), more, nil
}

// commandsOf returns the slash commands of a session. Without a session it returns
// those of a new one in the workspace's folders, before any MCP server has started.
func (x *Completer) commandsOf(ctx context.Context, sessionID string) ([]transcript.Command, error) {
	if sessionID == "" {
		roots := x.c.Folders.Roots()
		if len(roots) == 0 {
			return slash.BuiltIn(), nil
		}
		h, err := x.c.Host.Get(ctx)
		if err != nil {
			return nil, err
		}
		return slash.In(ctx, h.Agent.Process.SiteIn(roots[0], roots, x.c.Workspace.Snapshot().Tree())), nil
	}
	ses, err := x.c.Host.Session(ctx, sessionID)
	if err != nil {
		return nil, err
	}
	return ses.Commands(ctx), nil
}

// commands returns the commands that match, best first.
func commands(known []transcript.Command, query string) []Item {
	items := []Item{}
	q := names.NewQuery(query)
	for _, c := range known {
		n := names.New(c.Name, false)
		score, ok := q.Score(&n)
		if !ok {
			continue
		}
		text := "/" + c.Name
		if c.Hint != "" {
			text += " "
		}
		items = append(items, Item{Label: "/" + c.Name, Kind: commandKind, Detail: c.Description, InsertText: text, score: score})
	}
	if query != "" {
		slices.SortStableFunc(items, func(a, b Item) int { return cmp.Compare(b.score, a.score) })
	}
	return items
}

// blockOf encodes a prompt's block for a mention.
func blockOf(b transcript.Block, kind, label string) json.RawMessage {
	b.Type, b.Mention = transcript.LinkBlock, &transcript.Mention{Kind: kind, Label: label}
	return acp.Contents([]transcript.Block{b})[0]
}
