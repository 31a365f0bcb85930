package agent_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/agenttest"
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
		agenttest.InWorld(t, nil, []modeltest.Reply{agenttest.Done(), agenttest.ReadFileCall(filepath.Join(other, "b.txt")), agenttest.Done(), agenttest.Done()}, func(t *testing.T, w *agenttest.World) {
			w.Options = func(o *state.Options) { o.Trusted = func(f string) bool { return f == w.Dir || trusted } }
			w.Stop()
			w.Start()
			s := w.Session(policy.Default)
			w.Prompt(s, "look")
			for range 2 {
				if _, err := s.Prompt(t.Context(), state.Prompt{Blocks: agenttest.Say("look there"), Folders: []string{other}}); err != nil {
					t.Fatal(err)
				}
			}
			roots := []string{w.Dir}
			if n, want := strings.Count(agenttest.TextOf(w.LastRequest()), "\n"+other+"/\n└───b.txt\n"), map[bool]int{true: 1}[trusted]; n != want {
				t.Errorf("trusted %t: its tree is sent %d times", trusted, n)
			}
			sent, read := strings.Count(agenttest.TextOf(w.LastRequest()), "Workspace folders: "+w.Dir+", "+other+"\n"), strings.Contains(agenttest.TextOf(w.LastRequest()), "beside\n")
			if trusted {
				roots = append(roots, other)
			}
			if want := len(roots) - 1; sent != want || read != trusted {
				t.Errorf("trusted %t: sent %d times, read %t", trusted, sent, read)
			}
			if n := strings.Count(w.NoticesOf(transcript.NoticeNotSent), "is not trusted"); (n == 1) == trusted {
				t.Errorf("trusted %t: %d notices", trusted, n)
			}
			if !s.Trusted() {
				t.Error("the session is restricted")
			}
			w.Stop()
			w.Start()
			again, err := w.Agent.Session(t.Context(), s.ID())
			if err != nil {
				t.Fatal(err)
			}
			if got := again.Info().Roots; !slices.Equal(got, roots) {
				t.Errorf("it has %v again, want %v", got, roots)
			}
		})
	}
}
