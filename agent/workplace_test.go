package agent_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
)

// An added folder is sent to the model, tools can access it, and the session still has
// it when it is reopened.
func TestAddedFolders(t *testing.T) {
	other, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(other, "b.txt"), []byte("beside\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, trusted := range []bool{true, false} {
		inWorld(t, nil, []modeltest.Reply{done(), readFile(filepath.Join(other, "b.txt")), done(), done()}, func(t *testing.T, w *world) {
			w.options = func(o *state.Options) { o.Trusted = func(f string) bool { return f == w.dir || trusted } }
			w.stop()
			w.start()
			s := w.session(policy.Default)
			w.prompt(s, "look")
			for range 2 {
				if _, err := s.Prompt(t.Context(), state.Prompt{Blocks: say("look there"), Folders: []string{other}}); err != nil {
					t.Fatal(err)
				}
			}
			roots := []string{w.dir}
			if n, want := strings.Count(all(w.last()), "\n"+other+"/\n└───b.txt\n"), map[bool]int{true: 1}[trusted]; n != want {
				t.Errorf("trusted %t: its tree is sent %d times", trusted, n)
			}
			sent, read := strings.Count(all(w.last()), "Workspace folders: "+w.dir+", "+other+"\n"), strings.Contains(all(w.last()), "beside\n")
			if trusted {
				roots = append(roots, other)
			}
			if want := len(roots) - 1; sent != want || read != trusted {
				t.Errorf("trusted %t: sent %d times, read %t", trusted, sent, read)
			}
			if n := strings.Count(w.noticesOf(transcript.NoticeNotSent), "is not trusted"); (n == 1) == trusted {
				t.Errorf("trusted %t: %d notices", trusted, n)
			}
			if !s.Trusted() {
				t.Error("the session is restricted")
			}
			w.stop()
			w.start()
			again, err := w.agent.Session(t.Context(), s.ID())
			if err != nil {
				t.Fatal(err)
			}
			if got := again.Info().Roots; !slices.Equal(got, roots) {
				t.Errorf("it has %v again, want %v", got, roots)
			}
		})
	}
}
