package turn

import (
	"context"
	"slices"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/tools"
	"github.com/emendo-dev/emendo/tools/lookup"
)

// borrow prepares the MCP servers that the subagent brings. They start with its first
// request and end with close. A restricted folder starts none.
func (d *delegate) borrow() (end func()) {
	servers := d.agent.MCPServers(d.turn.session.Started.Cwd)
	if len(servers) == 0 || !d.turn.session.Trusted() {
		return func() {}
	}
	all := d.turn.session.Servers()
	if all == nil {
		return func() {}
	}
	d.lent = all.Lend(servers)
	return d.lent.Close
}

// renew starts those of the subagent's own servers that are due, and takes their
// tools as they are now.
func (d *delegate) renew(ctx context.Context) {
	if d.lent == nil {
		return
	}
	excluded := d.turn.conv.Gate.Excluded()
	asker := d.turn.instructor.asker()
	asker.lent = true
	d.own = slices.DeleteFunc(d.lent.Tools(ctx, asker), func(t tools.Tool) bool { return excluded(t.Spec()) })
}

// toolOf finds a tool by the name that the subagent calls it.
func (d *delegate) toolOf(name string) tools.Tool {
	if t := lookup.Find(d.own, name); t != nil {
		return t
	}
	return d.turn.instructor.tool(name)
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
