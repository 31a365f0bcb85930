package turn_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/agenttest"
	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/policy"
)

// TestTheModelIsToldOnceThatAnEditWasUndone: an accepted change that the user takes back in
// the editor, or that something takes back on disk, is told of with the next prompt alone.
func TestTheModelIsToldOnceThatAnEditWasUndone(t *testing.T) {
	for _, open := range []bool{true, false} {
		name := "on disk"
		if open {
			name = "in the editor"
		}
		t.Run(name, func(t *testing.T) {
			replies := []modeltest.Reply{{agenttest.Replace("f", "b", "B")}, agenttest.Done(), agenttest.Done(), agenttest.Done()}
			agenttest.InWorld(t, map[string]string{"f": "a\nb\nc\n"}, replies, func(t *testing.T, w *agenttest.World) {
				w.Can = frontend.Abilities{Reviews: true, Asks: true}
				if open {
					w.Editor.Open(w.URI("f"), "a\nb\nc\n")
				}
				s := w.Session(policy.AutoEdit)
				w.Prompt(s, "go")
				if open {
					w.Editor.Undo()
				} else if err := os.WriteFile(filepath.Join(w.Dir, "f"), []byte("a\nb\nc\n"), 0o600); err != nil {
					t.Fatal(err)
				}
				const said = "- undone since it was applied, so the old text is there again: line 2"
				for _, text := range []string{"and now?", "and then?"} {
					w.Prompt(s, text)
					if n := strings.Count(agenttest.TextOf(w.LastRequest()), said); n != 1 {
						t.Errorf("at %q the model is told %d times: %s", text, n, agenttest.TextOf(w.LastRequest()))
					}
				}
			})
		})
	}
}
