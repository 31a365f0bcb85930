package mcp_test

import (
	"testing"

	"github.com/emendo-dev/emendo/mcp"
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
