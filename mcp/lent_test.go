package mcp_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/emendo-dev/emendo/mcp/config"
)

// An agent waits for its servers, and longer for a program that may be downloaded first.
// The session's own servers are not lent.
func TestLentServers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.add("own", double("o"))
		late := double("t")
		serve := late.Serve
		late.Serve = func(ctx context.Context, t sdk.Transport) {
			select {
			case <-time.After(40 * time.Second):
				serve(ctx, t)
			case <-ctx.Done():
			}
		}
		w.add("late", late)
		servers := []config.Server{w.list.Servers[1], w.list.Servers[0]}
		w.list.Servers = w.list.Servers[:1]
		servers[0].Command, servers[0].File, servers[1].File = "npx", "/agents/a.md", "/agents/a.md"
		lent := w.supply.Lend(servers)
		defer lent.Close()
		var got []string
		for _, tool := range lent.Tools(t.Context(), w) {
			got = append(got, tool.Spec().Name)
		}
		if !slices.Equal(got, []string{"mcp_late_t"}) || !slices.Equal(w.names(t), []string{"mcp_own_o"}) {
			t.Errorf("the agent is lent %q", got)
		}
		if !slices.ContainsFunc(w.notices, func(n string) bool { return strings.Contains(n, "the server own is not started") }) {
			t.Errorf("notices %q", w.notices)
		}
	})
}
