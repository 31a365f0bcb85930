package discovery

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/inventory"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/internal/settings"
	"github.com/emendo-dev/emendo/internal/trust"
	"github.com/emendo-dev/emendo/tools"
	"github.com/emendo-dev/emendo/tools/reach"
	"github.com/emendo-dev/emendo/tools/shell"
)

// A script that a project's call command names is swapped before the call, or between the
// check and the start. What was approved runs, or nothing.
func TestASwappedCallCommandDoesNotRun(t *testing.T) {
	base := disk.RealPath(t.TempDir())
	dir := filepath.Join(base, "project")
	put := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	script := filepath.Join(dir, "tools", "call.sh")
	put(script, "echo good\n")
	tree, err := disk.NewTree([]string{dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tree.Close() })
	env := tools.Env{Snapshot: ide.NewWorkspace(tree, ide.UTF8).Snapshot(), Dir: dir}
	swap := func() {
		put(filepath.Join(base, "evil.sh"), "echo evil\n")
		if err := os.Rename(filepath.Join(base, "evil.sh"), script); err != nil {
			t.Error(err)
		}
	}
	place := reach.New(reach.Options{Folders: []string{dir}, Home: t.TempDir(), Environ: os.Environ(), Temp: t.TempDir(), Cache: t.TempDir()})
	between := func() {}
	commands := shell.New(shell.Options{
		Spawner: sandbox.NewGuard(sandbox.Options{}), Environ: os.Environ(),
		Reach: func(_ []string, extra reach.Extra) (*reach.Profile, error) {
			between()
			return place.Profile(extra), nil
		},
	})
	s := &Supply{
		session: &state.Session{Started: transcript.Started{Cwd: dir}, Agent: state.NewProcess(state.Options{Choices: state.Choices{Tools: []tools.Tool{commands}}})},
		temp:    func() (string, error) { return os.MkdirTemp(base, "copies-") }, //nolint:usetesting // the supply removes it
		now:     settings.Discovery{Folder: dir, Call: "bash tools/call.sh"},
	}
	store := trust.Open(t.TempDir())
	look, err := store.Approved(dir, inventory.OfDiscovery(s.now, dir)[0])
	if err != nil {
		t.Fatal(err)
	}
	s.cleared.call = look.Clear(dir)
	call := func(before func()) tools.Result {
		a, err := (&tool{name: "add", call: s.now.Call, supply: s}).Prepare(t.Context(), env, json.RawMessage(`{}`))
		if err != nil {
			t.Fatal(err)
		}
		before()
		return a.Run(t.Context(), func(tools.Progress) {})
	}
	if r := call(func() {}); r.Err != nil || !strings.Contains(r.Output, "good") {
		t.Errorf("unchanged: %q, %v", r.Output, r.Err)
	}
	if r := call(swap); r.Err == nil || r.Err.Type != tools.PolicyViolation {
		t.Errorf("swapped before the check: %q, %v", r.Output, r.Err)
	}
	put(script, "echo good\n")
	between = swap
	if r := call(func() {}); r.Err != nil || !strings.Contains(r.Output, "good") || strings.Contains(r.Output, "evil") {
		t.Errorf("swapped after the check: %q, %v", r.Output, r.Err)
	}
	if l, err := filepath.Glob(filepath.Join(base, "copies-*")); len(l) > 0 || err != nil {
		t.Errorf("copies are left: %v, %v", l, err)
	}
}
