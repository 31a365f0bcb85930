package mcp

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/mcp/config"
	"github.com/emendo-dev/emendo/mcp/schema"
	"github.com/emendo-dev/emendo/mcp/server"
	"github.com/emendo-dev/emendo/tools"
)

// tool is a tool of a server.
type tool struct {
	spec   tools.Spec
	config config.Server
	server *server.Server
	links  *links
	pins   *Definitions
	pin    string // the key of its stored definition
}

// newTool returns a tool of a server, still unnamed. The error says why it cannot
// be offered to the model, as a clause.
func (s *Supply) newTool(r *running, t *sdk.Tool) (*tool, error) {
	if t.Name == "" || len(t.Name) > 200 {
		return nil, errors.New("its name is empty or too long")
	}
	written, err := json.Marshal(t.InputSchema)
	if err != nil {
		return nil, fmt.Errorf("the schema of its arguments is not valid: %w", err)
	}
	arguments := schema.Clean(written)
	if len(arguments) > maxSchema {
		return nil, fmt.Errorf("the schema of its arguments has %d bytes; the limit is %d", len(arguments), maxSchema)
	}
	title := t.Title
	if title == "" && t.Annotations != nil {
		title = t.Annotations.Title
	}
	description := visible.Bounded(visible.Text(cmp.Or(t.Description, title, t.Name)), maxDescription, "…")
	of := identity(r.config)
	o := &tool{config: r.config, server: r.server, links: &r.links, pins: s.o.Definitions, pin: of + " " + hashOf(t.Name)}
	definition := definitionOf(of, t)
	o.spec = tools.Spec{
		Display: fmt.Sprintf("%s (%s)", tools.ShownLine(cmp.Or(title, t.Name), 60), tools.ShownLine(r.config.Name, 40)), Kind: tools.Other,
		Description: description, Schema: arguments, Origin: tools.OfMCP,
		Server: &tools.ServerTool{
			Server: r.config.Name, Tool: t.Name, Definition: definition, Trusted: r.config.Trust, Annotations: claims(t.Annotations, r.config.Trust),
		},
	}
	return o, nil
}

// identity returns a hash that identifies a server.
func identity(c config.Server) string {
	return hashOf(append([]string{"emendo server 1", c.Name, c.Command, c.URL, c.Project}, c.Args...)...)
}

// definitionOf returns a hash of a tool's whole definition.
func definitionOf(server string, t *sdk.Tool) string {
	text, err := json.Marshal(t)
	if err != nil {
		panic("mcp: " + err.Error()) // decoded from JSON
	}
	v := jsontext.Value(text)
	if err := v.Canonicalize(); err == nil {
		text = v
	}
	return hashOf("emendo definition 1", server, string(text))
}

// hashOf returns the SHA-256 of the texts. Different lists have different hashes.
func hashOf(texts ...string) string {
	h := sha256.New()
	for _, t := range texts {
		fmt.Fprintf(h, "%d:%s", len(t), t)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// claims returns the annotations of a tool for rules. For an untrusted server only
// the claims that the tool may do harm count.
func claims(a *sdk.ToolAnnotations, trusted bool) map[string]any {
	l := map[string]any{}
	if a == nil {
		return l
	}
	add := func(name string, value, harmless bool) {
		if trusted || value != harmless {
			l[name] = value
		}
	}
	add("readOnlyHint", a.ReadOnlyHint, true)
	add("idempotentHint", a.IdempotentHint, true)
	if a.DestructiveHint != nil {
		add("destructiveHint", *a.DestructiveHint, false)
	}
	if a.OpenWorldHint != nil {
		add("openWorldHint", *a.OpenWorldHint, false)
	}
	return l
}

// Spec implements [tools.Tool].
func (t *tool) Spec() tools.Spec {
	s := t.spec
	of := *s.Server
	of.Changed = t.pins.changed(t.pin, of.Definition)
	s.Server = &of
	return s
}

// Prepare implements [tools.Tool]. The server checks the arguments.
func (t *tool) Prepare(_ context.Context, _ tools.Env, args json.RawMessage) (tools.Action, error) {
	if len(bytes.TrimSpace(args)) == 0 {
		args = json.RawMessage("{}")
	}
	if v := jsontext.Value(args); v.Kind() != '{' || !v.IsValid() {
		return tools.Action{}, tools.Errorf(tools.InvalidParams, "invalid params: want a JSON object with unique names")
	}
	of := t.spec.Server
	readOnly, _ := of.Annotations["readOnlyHint"].(bool)
	return tools.Action{
		Title:  fmt.Sprintf("%s: %s %s", tools.ShownLine(of.Server, 40), tools.ShownLine(of.Tool, 60), tools.ShownLine(string(args), 120)),
		Effect: tools.Calls{Server: of.Server, Tool: of.Tool, ReadOnly: readOnly && of.Trusted, Local: t.config.Transport == config.Stdio},
		Run: func(ctx context.Context, live func(tools.Progress)) tools.Result {
			t.pins.allow(t.pin, of.Definition) // the call was allowed
			r, err := t.server.Call(ctx, of.Tool, args, func(text string) { live(tools.Progress{Output: text}) })
			if err != nil {
				return failure(ctx, of.Server, err)
			}
			t.links.add(r)
			return resultOf(of.Server, r)
		},
	}, nil
}
