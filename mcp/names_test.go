package mcp_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/emendo-dev/emendo/mcp"
	"github.com/emendo-dev/emendo/mcp/mcptest"
	"github.com/emendo-dev/emendo/tools"
)

func TestIntended(t *testing.T) {
	for name, want := range map[string]string{
		"mcp__docs__search": "mcp_docs_search", "mcp__docs__a__b": "mcp_docs_a__b", "mcp__my.docs__x": "mcp_my_docs_x",
		"mcp__docs": "mcp_docs_*", "mcp__docs__*": "mcp_docs_*", "mcp_docs_search": "", "glob": "",
	} {
		if got, ok := mcp.Intended(name); got != want || ok != (want != "") {
			t.Errorf("%s: %q, %t, want %q", name, got, ok, want)
		}
	}
}

// The servers git and git_hub can have tools of one name: rules are told which is which.
func TestServersWhoseToolsShareAName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.add("git", double("hub_create_issue"))
		w.add("git_hub", double("create_issue"))
		w.names(t)
		got := map[string]tools.ServerTool{}
		for _, x := range w.supply.Tools(t.Context(), w) {
			at := *x.Spec().Server
			at.Definition, at.Annotations = "", nil
			got[x.Spec().Name] = at
		}
		const plain = "mcp_git_hub_create_issue"
		want := map[string]tools.ServerTool{
			plain:        {Server: "git", Tool: "hub_create_issue", Plain: plain, Prefix: "mcp_git_", Shared: true, Rivals: []string{"mcp_git_hub_"}},
			plain + "_2": {Server: "git_hub", Tool: "create_issue", Plain: plain, Prefix: "mcp_git_hub_", Shared: true, Rivals: []string{"mcp_git_"}},
		}
		if diff := cmp.Diff(got, want); diff != "" {
			t.Errorf("got -, want +:\n%s", diff)
		}
		if !slices.ContainsFunc(w.notices, func(n string) bool { return strings.Contains(n, "is called "+plain+"_2") }) {
			t.Errorf("the user is not told: %q", w.notices)
		}
	})
}

// A server that lists a tool twice has it once: requests with equal names are refused.
func TestAToolThatIsListedTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		s := sdk.NewServer(&sdk.Implementation{Name: "double"}, nil)
		for _, name := range []string{"t", "u"} {
			answer(s, &sdk.Tool{Name: name}, &sdk.CallToolResult{})
		}
		s.AddReceivingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
			return func(ctx context.Context, method string, r sdk.Request) (sdk.Result, error) {
				result, err := next(ctx, method, r)
				if l, ok := result.(*sdk.ListToolsResult); ok {
					l.Tools = append(l.Tools, l.Tools[0])
				}
				return result, err
			}
		})
		w.add("twice", &mcptest.Double{Serve: mcptest.Serving(s)})
		if got := w.names(t); !slices.Equal(got, []string{"mcp_twice_t", "mcp_twice_u"}) {
			t.Errorf("it has %q", got)
		}
		if !slices.ContainsFunc(w.notices, func(n string) bool { return strings.Contains(n, "lists the tool t more than once") }) {
			t.Errorf("the user is not told: %q", w.notices)
		}
	})
}
