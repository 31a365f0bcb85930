package hooks_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/emendo-dev/emendo/agent/hooks"
	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/internal/settings"
	"github.com/emendo-dev/emendo/internal/trust"
	"github.com/emendo-dev/emendo/tools/reach"
)

// starting calls a function right before a command starts.
type starting struct {
	hooks.Sandbox
	before func()
}

func (s starting) Start(ctx context.Context, c sandbox.Command) (sandbox.Process, error) {
	s.before()
	return s.Sandbox.Start(ctx, c)
}

// reaching calls a function before it is known what a command may reach.
type reaching struct {
	hooks.Sandbox
	before func()
}

func (r reaching) Reach(folders []string, extra reach.Extra) (*reach.Profile, error) {
	r.before()
	return r.Sandbox.Reach(folders, extra)
}

// A script that is swapped between the check and the start, or overwritten while the hook
// starts, does not run: what was approved runs, or nothing.
func TestASwappedScriptDoesNotRun(t *testing.T) {
	p := newPlace(t)
	held := sandboxed(t, p.dir).(hooks.Shell)
	store := trust.Open(t.TempDir())
	const good, evil = "echo good >> out.txt\n", "echo evil >> out.txt\n"
	h := hooks.Hook{Source: settings.OfProject, Event: hooks.PreCompress, Command: "bash tools/check.sh"}
	script := filepath.Join(p.dir, "tools", "check.sh")
	p.write("tools/check.sh", good, 0o700)
	look, err := store.Approved(p.dir, h.Entry())
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Approve(p.dir, look); err != nil {
		t.Fatal(err)
	}
	for i := range 40 {
		p.write("tools/check.sh", good, 0o700)
		p.write("tools/evil.sh", evil, 0o700)
		p.write("out.txt", "", 0o600)
		swap := func() {
			if err := os.Rename(filepath.Join(p.dir, "tools/evil.sh"), script); err != nil {
				t.Error(err)
			}
		}
		shell, overwritten := held, make(chan error, 1)
		permit := func(h hooks.Hook) (trust.Cleared, bool) {
			l, err := store.Approved(p.dir, h.Entry())
			if err != nil || l.State != trust.Approved {
				t.Fatalf("the hook is %v, %v", l.State, err)
			}
			switch i % 4 {
			case 0: // right after the check
				swap()
			case 3: // at some moment of the start
				time.AfterFunc(time.Duration(i)*200*time.Microsecond, func() { overwritten <- os.WriteFile(script, []byte(evil), 0o700) })
			}
			return l.Clear(p.dir), true
		}
		switch i % 4 {
		case 1: // before it is known what the hook may reach
			shell.Sandbox = reaching{held.Sandbox, swap}
		case 2: // right before the start
			shell.Sandbox = starting{held.Sandbox, swap}
		}
		e := hooks.Engine{Config: hooks.Config{Hooks: []hooks.Hook{h}}, Runner: shell}
		o := e.Fire(t.Context(), hooks.Scene{SessionID: "s", Cwd: p.dir, Project: p.dir, At: time.Now()}, hooks.CompressInput{Trigger: "auto"}, permit)
		if i%4 == 3 {
			if err := <-overwritten; err != nil {
				t.Fatal(err)
			}
		}
		got, err := p.read("out.txt"), o.Runs[0].Err
		if strings.Contains(got, "evil") {
			t.Errorf("swap %d: the swapped script ran", i)
		}
		if got == "" && err == nil {
			t.Errorf("swap %d: nothing ran, and no error says why", i)
		}
	}
}
