package mcp

import (
	"context"
	_ "embed" // for what the model reads
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/mcp/config"
	"github.com/emendo-dev/emendo/mcp/server"
	"github.com/emendo-dev/emendo/tools"
	"github.com/emendo-dev/emendo/tools/builtin"
)

//go:embed list_mcp_resources.md
var listText string

//go:embed read_mcp_resource.md
var readText string

var (
	listParams = tools.NewParams[struct {
		Server string `json:"serverName,omitempty" jsonschema:"Only the resources of this server."`
	}]()
	readParams = tools.NewParams[struct {
		URI    string `json:"uri" jsonschema:"The URI of the resource, exactly as returned by list_mcp_resources or a tool of the server."`
		Server string `json:"serverName,omitempty" jsonschema:"The server to read from, if several have this URI."`
	}]()
)

// maxNamed limits the resources of one listing.
const maxNamed = 500

// ResourceTools are the names of the tools for the resources of servers.
var ResourceTools = []string{builtin.ListResources.Name, builtin.ReadResource.Name}

// resourceTools returns the tools for the resources of servers; nil if no server
// has resources.
func (s *Supply) resourceTools() []tools.Tool {
	r := resources{}
	for _, x := range s.running {
		if len(x.server.Snapshot().Resources) > 0 || x.links.count() > 0 {
			r = append(r, x)
		}
	}
	if len(r) == 0 {
		return nil
	}
	return []tools.Tool{listing{r}, reading{r}}
}

// resources are the servers that have resources.
type resources []*running

// listing is the tool list_mcp_resources.
type listing struct{ of resources }

// Spec implements [tools.Tool].
func (listing) Spec() tools.Spec {
	s := builtin.ListResources
	s.Description, s.Schema = listText, listParams.Schema()
	return s
}

// Prepare implements [tools.Tool].
func (l listing) Prepare(_ context.Context, _ tools.Env, args json.RawMessage) (tools.Action, error) {
	p, err := listParams.Decode(args)
	if err != nil {
		return tools.Action{}, err
	}
	var asked resources
	var names []string
	for _, r := range l.of {
		if p.Server == "" || p.Server == r.config.Name {
			asked, names = append(asked, r), append(names, r.config.Name)
		}
	}
	return tools.Action{Title: "List MCP resources", Effect: tools.Reads{Servers: names}, Run: func(context.Context, func(tools.Progress)) tools.Result {
		var b strings.Builder
		n := 0
		for _, r := range asked {
			for _, x := range r.server.Snapshot().Resources {
				if n++; n > maxNamed {
					break
				}
				fmt.Fprintf(&b, "%s: %s", tools.ShownLine(r.config.Name, 64), tools.ShownLine(x.URI, 1000))
				for _, more := range []string{x.Name, x.MIMEType, x.Description} {
					if more != "" {
						b.WriteString(" | " + tools.ShownLine(more, 300))
					}
				}
				b.WriteByte('\n')
			}
		}
		if n > maxNamed {
			fmt.Fprintf(&b, "(and %d more)\n", n-maxNamed)
		}
		if n == 0 {
			return tools.Result{Output: "No resources.", Summary: "no resources"}
		}
		return tools.Result{Output: transcript.Enclose("untrusted_context", b.String()), Display: b.String(), Summary: tools.Count(n, "resource", "resources")}
	}}, nil
}

// reading is the tool read_mcp_resource.
type reading struct{ of resources }

// Spec implements [tools.Tool].
func (reading) Spec() tools.Spec {
	s := builtin.ReadResource
	s.Description, s.Schema = readText, readParams.Schema()
	return s
}

// Prepare implements [tools.Tool]. Only resources that a server has listed or
// linked to can be read: a URI made up by the model could carry data to the server.
func (t reading) Prepare(_ context.Context, _ tools.Env, args json.RawMessage) (tools.Action, error) {
	p, err := readParams.Decode(args)
	if err != nil {
		return tools.Action{}, err
	}
	from, name := t.of.find(p.Server, p.URI)
	if from == nil {
		return tools.Action{}, tools.Errorf(tools.NoResource, "unknown MCP resource %s; call list_mcp_resources to list the available ones", tools.ShownLine(p.URI, 300))
	}
	local := slices.ContainsFunc(t.of, func(r *running) bool { return r.config.Name == name && r.config.Transport == config.Stdio })
	title := fmt.Sprintf("Read %s of %s", tools.ShownLine(p.URI, 120), tools.ShownLine(name, 40))
	return tools.Action{Title: title, Effect: tools.Reads{Servers: []string{name}, Asks: true, Local: local}, Run: func(ctx context.Context, _ func(tools.Progress)) tools.Result {
		return readResource(ctx, from, name, p.URI)
	}}, nil
}

// readResource returns a resource of a server as a result.
func readResource(ctx context.Context, from *server.Server, name, uri string) tools.Result {
	r, err := from.Read(ctx, uri)
	if err != nil {
		return failure(ctx, name, err)
	}
	var c content
	for _, x := range r.Contents {
		if x != nil {
			c.resource(x)
		}
	}
	return c.result(name, false)
}

// failure returns the result for a failed request to a server.
func failure(ctx context.Context, server string, err error) tools.Result {
	if ctx.Err() != nil {
		return tools.CancelledResult("")
	}
	return tools.Result{Err: tools.Errorf(tools.ServerFailure, "The MCP server %s failed: %s", tools.ShownLine(server, 40), tools.ShownLine(err.Error(), 4000))}
}

// find returns the server that has listed or linked to a resource, and its name;
// nil if none has.
func (rs resources) find(only, uri string) (*server.Server, string) {
	for _, r := range rs {
		if only != "" && only != r.config.Name {
			continue
		}
		for _, x := range r.server.Snapshot().Resources {
			if x.URI == uri {
				return r.server, r.config.Name
			}
		}
		if r.links.contains(uri) {
			return r.server, r.config.Name
		}
	}
	return nil, ""
}
