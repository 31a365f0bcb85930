package mcp_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/mcp/mcptest"
	"github.com/emendo-dev/emendo/mcp/oauth"
)

// One notice says that a server needs a login. The server is not given up.
func TestServerThatNeedsALogin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.add("docs", &mcptest.Double{Refuses: oauth.ErrLogin})
		for range 8 {
			w.names(t)
			time.Sleep(time.Minute)
		}
		want := []string{"The MCP server docs is not ready: It needs a login: run `emendo mcp login docs`."}
		if diff := cmp.Diff(want, w.notices); diff != "" {
			t.Errorf("notices, -want +got:\n%s", diff)
		}
		if got, want := w.supply.Describe(""), "- **docs**: needs login: run `emendo mcp login docs`\n"; got != want {
			t.Errorf("described as %q, want %q", got, want)
		}
		if n := w.doubles["docs"].Links(); n != 8 {
			t.Errorf("it was tried %d times", n)
		}
	})
}
