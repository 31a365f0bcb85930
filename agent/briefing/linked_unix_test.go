//go:build unix

package briefing_test

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

// A file that is another one's outside the workspace is not changed unasked, and one that is
// also called like a secret is not read unasked, in the modes that ask nothing else.
func TestHardLinksAreFollowed(t *testing.T) {
	for _, mode := range []policy.Mode{policy.AutoEdit, policy.Yolo} {
		write := func(name string) modeltest.Reply {
			return agenttest.Calls("write_file", `{"file_path":"`+name+`","content":"new\n"}`)
		}
		replies := []modeltest.Reply{
			write("outside.txt"), write("inside.txt"), write("plain.txt"),
			agenttest.Calls("read_file", `{"file_path":"sub/env.txt"}`), agenttest.Calls("read_file", `{"file_path":"other.txt"}`), agenttest.Done(),
		}
		files := map[string]string{"outside.txt": "old\n", "inside.txt": "old\n", "plain.txt": "old\n", ".env": "PASSWORD=canary\n", "sub/x": "", "other.txt": "text\n"}
		agenttest.InWorld(t, files, replies, func(t *testing.T, w *agenttest.World) {
			away := filepath.Join(t.TempDir(), "away.txt")
			for from, to := range map[string]string{
				"outside.txt": away, "inside.txt": filepath.Join(w.Dir, "sub", "inside.txt"), ".env": filepath.Join(w.Dir, "sub", "env.txt"), "other.txt": filepath.Join(w.Dir, "another.txt"),
			} {
				if err := os.Link(filepath.Join(w.Dir, from), to); err != nil {
					t.Fatal(err)
				}
			}
			w.Can = frontend.Abilities{}
			w.Prompt(w.Session(mode), "go")
			for path, want := range map[string]string{away: "old\n", filepath.Join(w.Dir, "sub", "inside.txt"): "new\n", filepath.Join(w.Dir, "plain.txt"): "new\n"} {
				if got, err := os.ReadFile(path); err != nil || string(got) != want {
					t.Errorf("%s: %s has %q, %v", mode, filepath.Base(path), got, err)
				}
			}
			said := agenttest.TextOf(w.LastRequest())
			if strings.Contains(said, "canary") || !strings.Contains(said, "text") || !strings.Contains(said, "names outside the workspace") {
				t.Errorf("%s: the model got %s", mode, said)
			}
		})
	}
}
