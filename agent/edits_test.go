package agent_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
)

// TestEditsOfOneFileAreAppliedInCallOrder and each result shows the text after
// its own call, in a file that is open and in one that is not.
func TestEditsOfOneFileAreAppliedInCallOrder(t *testing.T) {
	const lines = 6
	var text strings.Builder
	var calls modeltest.Reply
	for i := range lines {
		fmt.Fprintf(&text, "line %d\n", i)
		calls = append(calls, replace("f.go", fmt.Sprintf("line %d", i), fmt.Sprintf("LINE %d", i)))
	}
	for _, open := range []bool{true, false} {
		t.Run(fmt.Sprintf("open %t", open), func(t *testing.T) {
			for range 5 {
				inWorld(t, map[string]string{"f.go": text.String()}, []modeltest.Reply{calls, done()}, func(t *testing.T, w *world) {
					if open {
						w.editor.Open(w.uri("f.go"), text.String())
					}
					w.prompt(w.session(agent.AutoEdit), "shout")
					rs := results(w.last())
					if len(rs) != lines {
						t.Fatalf("%d results", len(rs))
					}
					for i, r := range rs {
						if want := fmt.Sprintf("LINE %d", i); !strings.Contains(r.Output, want) || i > 0 && !strings.Contains(r.Output, fmt.Sprintf("LINE %d", i-1)) {
							t.Errorf("call %d shows no text with it and the call before it:\n%s", i, r.Output)
						}
						if later := fmt.Sprintf("LINE %d", i+1); strings.Contains(r.Output, later) {
							t.Errorf("call %d shows what a later call did:\n%s", i, r.Output)
						}
					}
				})
			}
		})
	}
}
