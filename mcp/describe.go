package mcp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/mcp/config"
	"github.com/emendo-dev/emendo/mcp/oauth"
	"github.com/emendo-dev/emendo/mcp/server"
)

// Describe implements [state.Servers]. It starts nothing.
func (s *Supply) Describe(name string) string {
	if !s.o.Workspace.Trusted() {
		return "The folder is restricted, so MCP servers are not started."
	}
	list := s.o.Workspace.Configured()
	var b strings.Builder
	if name != "" {
		list.Problems = nil
		list.Servers = slices.DeleteFunc(list.Servers, func(c config.Server) bool { return c.Name != name })
		if len(list.Servers) == 0 {
			return fmt.Sprintf("Unknown MCP server %s. `/mcp` lists the servers; `emendo mcp` on the command line adds, removes and tests them.", literal(name))
		}
	}
	for _, c := range list.Servers {
		from := ""
		if c.Extension != "" {
			from = " (extension " + literal(c.Extension) + ")"
		}
		fmt.Fprintf(&b, "- **%s**%s: %s\n", literal(c.Name), from, s.describe(c))
	}
	for _, p := range list.Problems {
		fmt.Fprintf(&b, "- %s\n", literal(p))
	}
	if b.Len() == 0 {
		return "No MCP servers are configured."
	}
	return b.String()
}

// describe returns the state of a server with its tools.
func (s *Supply) describe(c config.Server) string {
	switch {
	case c.HiddenBy != "":
		return "hidden by the one in " + literal(c.HiddenBy)
	case c.Disabled:
		return "disabled"
	}
	i := slices.IndexFunc(s.running, func(r *running) bool { return r.config.Name == c.Name })
	if i < 0 {
		return "not started yet"
	}
	now := s.running[i].server.Snapshot()
	var tools []string
	for _, t := range now.Tools {
		if c.Offers(t.Name) {
			tools = append(tools, literal(t.Name))
		}
	}
	switch now.State {
	case server.Idle:
		return "not started: it needs your approval"
	case server.Starting:
		return "starting"
	case server.Ready:
		ready := "ready"
		if now.Over != "" {
			ready += " over " + now.Over
		}
		if len(tools) == 0 {
			return ready + ", without tools"
		}
		return ready + ", with " + strings.Join(tools, ", ")
	case server.Failed:
		if errors.Is(now.Err, oauth.ErrLogin) {
			return "needs login: run `" + oauth.Command(c.Name) + "`"
		}
		text := "failed: " + literal(now.Err.Error())
		if now.GivenUp {
			text += "; it will not be restarted"
		}
		return text
	}
	panic("mcp: unknown state " + string(now.State))
}

// literal returns text from a server or a file on one line, with Markdown escaped.
func literal(s string) string {
	return strings.NewReplacer("*", `\*`, "_", `\_`, "`", "'", "[", `\[`, "]", `\]`, "<", "&lt;", "|", `\|`).Replace(visible.ShortLine(s, 300))
}

// States implements [state.Servers].
func (s *Supply) States() []state.ServerState {
	s.mu.Lock()
	all := s.running
	s.mu.Unlock()
	var l []state.ServerState
	for _, r := range all {
		now := r.server.Snapshot()
		at := state.ServerState{Name: r.config.Name, State: string(now.State), GivenUp: now.GivenUp}
		if now.State == server.Failed {
			at.Err, at.Login = now.Err, errors.Is(now.Err, oauth.ErrLogin)
		}
		for _, t := range now.Tools {
			if r.config.Offers(t.Name) {
				at.Tools = append(at.Tools, visible.ShortLine(t.Name, 80))
			}
		}
		l = append(l, at)
	}
	return l
}

// Restart implements [state.Servers].
func (s *Supply) Restart(ctx context.Context, name string, again bool) bool {
	s.mu.Lock()
	i := slices.IndexFunc(s.running, func(r *running) bool { return r.config.Name == name })
	var r *running
	if i >= 0 {
		r = s.running[i]
	}
	s.mu.Unlock()
	if r == nil {
		return false
	}
	r.server.Reset()
	if !again || !r.config.Own || !s.o.Workspace.Trusted() { // what needs approval is checked right before each start
		return true
	}
	r.server.Start()
	enough := time.NewTimer(firstWait)
	defer enough.Stop()
	select {
	case <-r.server.Settled():
	case <-enough.C:
	case <-ctx.Done():
	}
	return true
}
