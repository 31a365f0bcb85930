package turn

import (
	"context"
	"slices"

	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/inbound"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/tools"
	"github.com/emendo-dev/emendo/tools/lookup"
)

// borrow prepares the MCP servers that the subagent brings. They start with its first
// request and end with close. A restricted folder starts none.
func (d *delegate) borrow() (end func()) {
	servers := d.agent.MCPServers(d.Session.Started.Cwd)
	if len(servers) == 0 || !d.Session.Trusted() {
		return func() {}
	}
	if d.lent = state.Lend(d.Session, servers); d.lent == nil {
		return func() {}
	}
	return d.lent.Close
}

// renew starts those of the subagent's own servers that are due, and takes their
// tools as they are now.
func (d *delegate) renew(ctx context.Context) {
	if d.lent == nil {
		return
	}
	excluded := d.Gate.Excluded()
	d.own = slices.DeleteFunc(d.lent.Tools(ctx, lending{d.Instructor.asker()}), func(t tools.Tool) bool { return excluded(t.Spec()) })
}

// lending is the turn as the servers of a subagent see it. What a server says of
// itself is not read: the conversation is not the subagent's. Their states are not told:
// they end with the subagent.
type lending struct{ inbound.Host }

var _ state.Asker = lending{}

// Tell implements [state.Asker].
func (lending) Tell(string, string, tools.Origin) {}

// Publish implements [state.Asker].
func (lending) Publish(frontend.Event) {}

// toolOf finds a tool by the name that the subagent calls it.
func (d *delegate) toolOf(name string) tools.Tool {
	if t := lookup.Find(d.own, name); t != nil {
		return t
	}
	return d.Instructor.tool(name)
}

// offered returns the tools that the subagent may call: those of the session that
// its definition names, and those of its own servers.
func (d *delegate) offered(all []model.Tool) []model.Tool {
	l := slices.DeleteFunc(d.agent.Offered(all), func(t model.Tool) bool { return lookup.Find(d.own, t.Name) != nil })
	for _, t := range d.own {
		l = append(l, modelTool(t.Spec()))
	}
	return l
}
