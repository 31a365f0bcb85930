package shell_test

import (
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/tools/sandbox"
	"github.com/emendo-dev/emendo/tools/sandbox/sandboxtest"
	"github.com/emendo-dev/emendo/tools/shell"
)

// A command that looks through folders is kept from all secrets in them, also
// from those that other commands may read.
func TestASearchIsKeptFromSecretsEverywhere(t *testing.T) {
	env := newEnv(t)
	key := filepath.Join(env.Dir, "sub", "tests", "key.pem")
	if err := os.MkdirAll(filepath.Dir(key), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(key, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		s := &sandboxtest.Spawner{Scripts: map[string]sandboxtest.Script{"grep -r x .": {}, "ls": {}}}
		tool := shell.New(shell.Options{Spawner: s, Reach: func([]string, sandbox.Wider) (*sandbox.Profile, error) {
			return &sandbox.Profile{Hidden: []string{"/other"}}, nil
		}})
		for _, command := range []string{"grep -r x .", "ls"} {
			call(t, tool, env, map[string]any{"command": command})
		}
		var hidden [][]string
		for _, c := range s.Started() {
			hidden = append(hidden, c.Profile.Hidden)
		}
		if diff := cmp.Diff([][]string{{"/other", key}, {"/other"}}, hidden); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	})
}
