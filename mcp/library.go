package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/mcp/config"
	"github.com/emendo-dev/emendo/mcp/server"
	"github.com/emendo-dev/emendo/tools"
)

var _ state.Library = (*Supply)(nil)

// Limits on the content from servers in one prompt, in bytes and resources.
const (
	maxPromptText   = 256 << 10
	maxResourceText = 64 << 10
	maxMentioned    = 10
)

// listed caches what the user can name, as of the last call of Tools.
type listed struct {
	prompts []transcript.Command
	ready   map[string]bool // servers whose prompts are known, by their name in commands
}

// list updates what the user can name.
func (s *Supply) list() {
	l := listed{ready: map[string]bool{}}
	for _, r := range s.running {
		now := r.server.Snapshot()
		if !now.Ready() {
			continue
		}
		l.ready[commandPart(r.config.Name)] = true
		for _, p := range now.Prompts {
			c := transcript.Command{Name: commandOf(r.config.Name, p.Name), Description: visible.ShortLine(cmp.Or(p.Description, p.Title, p.Name), 200), Hint: hintOf(p)}
			if !slices.ContainsFunc(l.prompts, func(o transcript.Command) bool { return o.Name == c.Name }) {
				l.prompts = append(l.prompts, c)
			}
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listed = l
}

// commandOf returns the name of a prompt as a slash command.
func commandOf(server, name string) string { return commandPart(server) + ":" + commandPart(name) }

// notInCommands matches a character that command names cannot have.
var notInCommands = regexp.MustCompile(`[^a-zA-Z0-9_.-]`)

// commandPart replaces the characters that command names cannot have.
func commandPart(name string) string {
	return notInCommands.ReplaceAllString(name[:min(len(name), 64)], "-")
}

// hintOf describes the arguments of a prompt.
func hintOf(p *sdk.Prompt) string {
	var l []string
	for _, a := range p.Arguments {
		name := strings.ToUpper(commandPart(a.Name))
		if !a.Required {
			name = "[" + name + "]"
		}
		l = append(l, name)
	}
	return strings.Join(l[:min(len(l), 8)], " ")
}

// Prompts implements [state.Library].
func (s *Supply) Prompts() []transcript.Command {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.listed.prompts)
}

// MayHave implements [state.Library].
func (s *Supply) MayHave(name string) bool {
	of, _, ok := strings.Cut(name, ":")
	if !ok {
		return false
	}
	s.mu.Lock()
	known := slices.ContainsFunc(s.listed.prompts, func(c transcript.Command) bool { return c.Name == name })
	ready := s.listed.ready[of]
	s.mu.Unlock()
	return known || !ready && slices.ContainsFunc(s.usable(), func(c config.Server) bool { return commandPart(c.Name) == of })
}

// usable returns the configured servers that the session may use.
func (s *Supply) usable() []config.Server {
	if !s.o.Workspace.Trusted() {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(s.o.Workspace.Configured().Servers), func(c config.Server) bool { return c.Disabled || c.HiddenBy != "" })
}

// ready starts the servers if necessary, and returns the one that is selects once
// it is ready.
func (s *Supply) ready(ctx context.Context, asker state.Asker, is func(config.Server) bool) (*running, error) {
	s.Tools(ctx, asker)
	i := slices.IndexFunc(s.running, func(r *running) bool { return is(r.config) })
	if i < 0 {
		return nil, errors.New("the server is not configured")
	}
	r := s.running[i]
	settled := r.server.Settled()
	if settled == nil {
		return nil, errors.New("the server was not started: it needs your approval")
	}
	select {
	case <-settled:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	s.list()
	if now := r.server.Snapshot(); !now.Ready() {
		return nil, fmt.Errorf("the server failed: %w", cmp.Or(now.Err, server.ErrNotReady))
	}
	return r, nil
}

// Prompt implements [state.Library].
func (s *Supply) Prompt(ctx context.Context, asker state.Asker, name, args string) ([]transcript.Given, error) {
	of, _, _ := strings.Cut(name, ":")
	r, err := s.ready(ctx, asker, func(c config.Server) bool { return commandPart(c.Name) == of })
	if err != nil {
		return nil, err
	}
	all := r.server.Snapshot().Prompts
	i := slices.IndexFunc(all, func(p *sdk.Prompt) bool { return commandOf(r.config.Name, p.Name) == name })
	if i < 0 {
		var names []string
		for _, p := range all {
			names = append(names, commandPart(p.Name))
		}
		return nil, fmt.Errorf("the MCP server %s has no such prompt; it has %s", r.config.Name, cmp.Or(strings.Join(names, ", "), "none"))
	}
	values, err := argumentsOf(all[i], args)
	if err != nil {
		return nil, err
	}
	shown, err := json.Marshal(values)
	if err != nil {
		return nil, err
	}
	var c content
	title := fmt.Sprintf("Prompt %s of %s", tools.ShownLine(all[i].Name, 80), tools.ShownLine(r.config.Name, 40))
	res := asker.Fetch(ctx, r.config.Name, "prompts/get", title, shown, func(ctx context.Context) tools.Result {
		got, err := r.server.Prompt(ctx, all[i].Name, values)
		if err != nil {
			return failure(ctx, r.config.Name, err)
		}
		for _, m := range got.Messages {
			if m.Role == "assistant" {
				c.texts = append(c.texts, "(The assistant said:)")
			}
			c.add(m.Content)
		}
		return c.result(r.config.Name, false)
	})
	if res.Err != nil {
		return nil, errors.New(res.Err.Message)
	}
	text := strings.Join(c.texts, "\n\n")
	if strings.TrimSpace(text) == "" {
		return nil, errors.New("the prompt is empty")
	}
	text = visible.Bounded(text, maxPromptText, "\n(the rest is omitted)")
	given := []transcript.Given{{Kind: transcript.KindCommand, Text: visible.Text(text), Origin: tools.OfMCP, Server: r.config.Name}}
	return append(given, attached(r.config.Name, res.Blobs)...), nil
}

// attached returns the parts for data attached to a prompt.
func attached(server string, blobs []tools.Blob) (l []transcript.Given) {
	for _, b := range blobs {
		text := transcript.Enclose("mcp_resource", fmt.Sprintf("%s, %d bytes, is attached.", b.MIME, len(b.Data)), "server", server)
		l = append(l, transcript.Given{Kind: transcript.GivenLinked, Text: text, MIME: b.MIME, Data: b.Data, Origin: tools.OfMCP, Server: server})
	}
	return l
}

// Mentioned implements [state.Library].
func (s *Supply) Mentioned(ctx context.Context, asker state.Asker, words []string) (given []transcript.Given, withheld []transcript.Notice) {
	servers := s.usable()
	slices.SortStableFunc(servers, func(a, b config.Server) int { return cmp.Compare(len(b.Name), len(a.Name)) }) // names may have colons
	var done []string
	for _, word := range words {
		i := slices.IndexFunc(servers, func(c config.Server) bool { return strings.HasPrefix(word, c.Name+":") })
		if i < 0 || slices.Contains(done, word) {
			continue
		}
		done = append(done, word)
		name := word
		failed := func(why string) {
			withheld = append(withheld, transcript.Notice{Severity: transcript.Warning, Code: transcript.NoticeNotSent, Title: tools.ShownLine(name, 200) + " was not sent", Description: why})
		}
		if len(done) > maxMentioned {
			failed(fmt.Sprintf("A prompt can name at most %d resources of MCP servers. The model can read more with a tool.", maxMentioned))
			return given, withheld
		}
		r, err := s.ready(ctx, asker, func(c config.Server) bool { return c.Name == servers[i].Name })
		if err != nil {
			failed(sentence(visible.Short(visible.Line(err.Error()), 300)))
			continue
		}
		uri := uriOf(r.server.Snapshot().Resources, strings.TrimPrefix(word, r.config.Name+":"))
		name = r.config.Name + ":" + uri
		res := r.fetch(ctx, asker, uri)
		if res.Err != nil {
			failed(visible.Short(res.Err.Message, 500))
			continue
		}
		text := visible.Bounded(res.Raw, maxResourceText, "\n(the rest is omitted)")
		given = append(given, transcript.Given{Kind: transcript.GivenLinked, Text: transcript.Enclose("mcp_resource", visible.Text(text), "server", r.config.Name, "uri", uri), Origin: tools.OfMCP, Server: r.config.Name})
		given = append(given, attached(r.config.Name, res.Blobs)...)
	}
	return given, withheld
}

// uriOf returns the URI at the start of a word, without trailing punctuation unless
// a listed resource has it.
func uriOf(all []*sdk.Resource, word string) string {
	has := func(uri string) bool {
		return slices.ContainsFunc(all, func(r *sdk.Resource) bool { return r.URI == uri })
	}
	if plain := strings.TrimRight(word, ".,;:!?)]}>\"'`"); !has(word) {
		return plain
	}
	return word
}

// fetch reads a resource for the user.
func (r *running) fetch(ctx context.Context, asker state.Asker, uri string) tools.Result {
	args, err := json.Marshal(map[string]string{"uri": uri, "serverName": r.config.Name})
	if err != nil {
		panic(err) // a map of strings
	}
	title := fmt.Sprintf("Read %s of %s", tools.ShownLine(uri, 120), tools.ShownLine(r.config.Name, 40))
	return asker.Fetch(ctx, r.config.Name, "read_mcp_resource", title, args, func(ctx context.Context) tools.Result {
		return readResource(ctx, r.server, r.config.Name, uri)
	})
}
