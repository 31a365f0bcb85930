package mcp_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/internal/trust"
	"github.com/emendo-dev/emendo/mcp"
	"github.com/emendo-dev/emendo/tools/reach"
)

// starting calls a function right before a server starts.
type starting struct {
	mcp.Confinement
	before func()
}

func (s starting) Start(ctx context.Context, c sandbox.Command) (sandbox.Process, error) {
	s.before()
	return s.Confinement.Start(ctx, c)
}

// reaching calls a function before it is known what a server may reach.
type reaching struct {
	mcp.Confinement
	before func()
}

func (r reaching) Reach(folders []string, extra reach.Extra) (*reach.Profile, error) {
	r.before()
	return r.Confinement.Reach(folders, extra)
}

// A script of a project's server that is swapped between the check and the start does not
// run, in the workspace as outside: what was approved runs, or nothing.
func TestASwappedServerDoesNotRun(t *testing.T) {
	const good, evil = "#!/bin/sh\necho good >> out.txt\n", "#!/bin/sh\necho evil >> out.txt\n"
	base := t.TempDir()
	dir := filepath.Join(base, "project")
	for i, tt := range []struct{ entry, script string }{
		{`{"command": "sh", "args": ["tools/serve.sh"]}`, "project/tools/serve.sh"},
		{`{"command": "./tools/serve.sh"}`, "project/tools/serve.sh"},
		{`{"command": "sh", "args": ["` + base + `/outside/serve.sh"]}`, "outside/serve.sh"},
		{`{"command": "env", "args": ["sh", "../outside/serve.sh"]}`, "outside/serve.sh"},
	} {
		t.Run(tt.entry, func(t *testing.T) {
			script := filepath.Join(base, tt.script)
			put(t, dir, "out.txt", "")
			put(t, base, tt.script, good)
			c := configured(t, dir, tt.entry, true)
			store := trust.Open(t.TempDir())
			look, err := store.Approved(dir, c.Entry(nil))
			if err != nil {
				t.Fatal(err)
			}
			if err := store.Approve(dir, look); err != nil {
				t.Fatal(err)
			}
			held := confined(t, dir)
			for j := range 10 {
				put(t, base, tt.script, good)
				put(t, base, "evil.sh", evil)
				put(t, dir, "out.txt", "")
				swap := func() {
					if err := os.Rename(filepath.Join(base, "evil.sh"), script); err != nil {
						t.Error(err)
					}
				}
				p := held
				l, err := store.Approved(dir, c.Entry(nil))
				if err != nil || l.State != trust.Approved {
					t.Fatalf("the server is %v, %v", l.State, err)
				}
				switch j % 3 {
				case 0: // right after the check
					swap()
				case 1: // before it is known what the server may reach
					p.Sandbox = reaching{held.Sandbox, swap}
				case 2: // right before the start
					p.Sandbox = starting{held.Sandbox, swap}
				}
				err = end(t, p, c, l.Clear(dir), dir)
				got, readErr := os.ReadFile(filepath.Join(dir, "out.txt"))
				if readErr != nil {
					t.Fatal(readErr)
				}
				if strings.Contains(string(got), "evil") {
					t.Errorf("entry %d, swap %d: the swapped script ran", i, j)
				}
				if j%3 == 1 && string(got) != "good\n" {
					t.Errorf("entry %d, swap %d: what was approved did not run: %v", i, j, err)
				}
				if j%3 == 0 && err == nil {
					t.Errorf("entry %d, swap %d: it was started after its script had changed", i, j)
				}
			}
		})
	}
}

// A project's server in the sandbox reads the files that its approval names, wherever they
// are, and nothing beside them and no secrets.
func TestAServerReadsWhatItsApprovalNames(t *testing.T) {
	base := t.TempDir()
	dir := filepath.Join(base, "project")
	put(t, dir, "x", "")
	put(t, base, "outside/serve.sh", "cat outside/beside.txt ../outside/beside.txt \"$1\" > beside.txt; echo ran > out.txt\n")
	put(t, base, "outside/beside.txt", "text\n")
	put(t, base, "outside/id_rsa", "key\n")
	for link, to := range map[string]string{"linked": "outside", "link.sh": "outside/serve.sh"} {
		if err := os.Symlink(filepath.Join(base, to), filepath.Join(base, link)); err != nil {
			t.Fatal(err)
		}
	}
	for _, entry := range []string{
		`{"command": "sh", "args": ["../outside/serve.sh"]}`,
		`{"command": "sh", "args": ["` + base + `/outside/serve.sh"]}`,
		`{"command": "sh", "args": ["-c", ". ` + base + `/outside/serve.sh"]}`,
		`{"command": "sh", "args": ["` + base + `/linked/serve.sh"]}`,
		`{"command": "sh", "args": ["../link.sh"]}`,
		`{"command": "sh", "args": ["../outside/serve.sh", "` + base + `/outside/id_rsa"]}`,
	} {
		put(t, dir, "out.txt", "")
		put(t, dir, "beside.txt", "")
		c := configured(t, dir, entry, true)
		look, err := trust.Open(t.TempDir()).Approved(dir, c.Entry(nil))
		if err != nil {
			t.Fatal(err)
		}
		if err := end(t, confined(t, dir), c, look.Clear(dir), dir); err != nil {
			t.Error(err)
		}
		for name, want := range map[string]string{"out.txt": "ran\n", "beside.txt": ""} {
			if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != want {
				t.Errorf("%s: %s has %q, %v", entry, name, got, err)
			}
		}
	}
}
