package agent_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

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
			replies := []modeltest.Reply{{replace("f", "b", "B")}, done(), done(), done()}
			inWorld(t, map[string]string{"f": "a\nb\nc\n"}, replies, func(t *testing.T, w *world) {
				w.abilities = frontend.Abilities{Reviews: true, Asks: true}
				if open {
					w.editor.Open(w.uri("f"), "a\nb\nc\n")
				}
				s := w.session(policy.AutoEdit)
				w.prompt(s, "go")
				if open {
					w.editor.Undo()
				} else if err := os.WriteFile(filepath.Join(w.dir, "f"), []byte("a\nb\nc\n"), 0o600); err != nil {
					t.Fatal(err)
				}
				const said = "- undone since it was applied, so the old text is there again: line 2"
				for _, text := range []string{"and now?", "and then?"} {
					w.prompt(s, text)
					if n := strings.Count(all(w.last()), said); n != 1 {
						t.Errorf("at %q the model is told %d times: %s", text, n, all(w.last()))
					}
				}
			})
		})
	}
}
