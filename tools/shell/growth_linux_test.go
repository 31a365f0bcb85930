package shell_test

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/emendo-dev/emendo/internal/sandbox/attacktest"
	"github.com/emendo-dev/emendo/tools"
	"github.com/emendo-dev/emendo/tools/reach"
	"github.com/emendo-dev/emendo/tools/shell"
)

// confined returns a tool whose commands run at level A in a workspace, and what runs one that
// nobody allowed, or that somebody did.
func confined(t *testing.T, o shell.Options, env *tools.Env) (run func(access tools.Access, args map[string]any) tools.Result) {
	t.Helper()
	place := reach.New(reach.Options{Folders: []string{env.Dir}, Temp: t.TempDir(), Cache: t.TempDir(), Environ: real.Environ})
	o.Environ, o.Spawner = real.Environ, attacktest.MeansOfA["namespaces"]
	o.Reach = func(_ []string, extra reach.Extra) (*reach.Profile, error) { return place.Profile(extra), nil }
	return func(access tools.Access, args map[string]any) tools.Result {
		t.Helper()
		return prepare(t, shell.New(o), *env, args).WithAccess(access)(t.Context(), quiet)
	}
}

// A command that nobody allowed is paused when it has written too much, and ended if nobody
// says that it may go on; what it wrote stays. An allowed one is not limited.
func TestGrowthOfACommandIsLimited(t *testing.T) {
	if testing.Short() {
		t.Skip("writes much")
	}
	const line = "fallocate -l 12M big; until test $SECONDS -gt 2; do sleep 0.01; done; echo ended"
	for _, c := range []struct {
		name   string
		access tools.Access
		answer func(context.Context, tools.Runs, string) bool // nil: nobody is there
		ended  bool
	}{
		{name: "allowed", ended: true},
		{name: "nobody is there", access: tools.Access{Unasked: true}},
		{name: "the user ends it", access: tools.Access{Unasked: true}, answer: func(context.Context, tools.Runs, string) bool { return false }},
		{name: "the user lets it go on", access: tools.Access{Unasked: true}, answer: func(context.Context, tools.Runs, string) bool { return true }, ended: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			env := newEnv(t)
			asked := 0
			if c.answer != nil {
				env.GoOn = func(ctx context.Context, r tools.Runs, why string) bool {
					asked++
					for !stopped(t, env.Dir) { // it is asked to stop by now
						runtime.Gosched()
					}
					if !strings.HasPrefix(why, "It has written 12") || !strings.Contains(r.Command, "big") {
						t.Errorf("asked %q about %s", why, r.Command)
					}
					return c.answer(ctx, r, why)
				}
			}
			run := confined(t, shell.Options{Limits: reach.Limits{Most: 8 << 20, Free: 1}}, &env)
			r := run(c.access, map[string]any{"command": line})
			if ended := strings.Contains(r.Output, "ended\n"); ended != c.ended || !ended && !strings.Contains(r.Output, "wrote too much. It has written 12") {
				t.Errorf("its result is %s", r.Output)
			}
			if want := c.answer != nil; asked > 1 || (asked == 1) != want {
				t.Errorf("asked %d times", asked)
			}
			if info, err := os.Stat(filepath.Join(env.Dir, "big")); err != nil || info.Size() != 12<<20 {
				t.Errorf("what it wrote is %v, %v", info, err)
			}
		})
	}
}

// stopped reports whether every process that works in a folder is stopped.
func stopped(t *testing.T, dir string) bool {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/cwd")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, cwd := range all {
		if at, err := os.Readlink(cwd); err != nil || at != dir {
			continue
		}
		status, err := os.ReadFile(filepath.Join(filepath.Dir(cwd), "status"))
		if err == nil && strings.Contains(string(status), "State:\tZ") {
			continue
		}
		if found++; err != nil || !strings.Contains(string(status), "State:\tT") {
			return false
		}
	}
	return found > 0
}

// With the usual limit a command that takes 3 GiB of blocks is ended; a sparse file of that
// size is none.
func TestThreeGigabytesOfBlocks(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 3 GiB")
	}
	attacktest.AsEachUser(t, takeThreeGigabytes)
}

func takeThreeGigabytes(t *testing.T) {
	env := newEnv(t)
	var disk syscall.Statfs_t
	if err := syscall.Statfs(env.Dir, &disk); err != nil {
		t.Fatal(err)
	}
	if free := disk.Bavail * uint64(disk.Bsize); free < 4<<30 {
		t.Fatalf("%s has %d MiB free, and the command takes 3,072", env.Dir, free>>20)
	}
	run := confined(t, shell.Options{}, &env)
	for line, over := range map[string]bool{
		"truncate -s 3G big; for i in 1 2 3 4 5 6; do sleep 0.2; done; echo ended":           false,
		"fallocate -l 3G blocks; until test $SECONDS -gt 60; do sleep 0.1; done; echo ended": true,
	} {
		r := run(tools.Access{Unasked: true}, map[string]any{"command": line})
		if over == strings.Contains(r.Output, "ended\n") || over != strings.Contains(r.Output, "wrote too much") {
			t.Errorf("%s: %s", line, r.Output)
		}
	}
	if info, err := os.Stat(filepath.Join(env.Dir, "blocks")); err != nil || info.Size() != 3<<30 {
		t.Errorf("what it wrote is %v, %v", info, err)
	}
	if err := os.Remove(filepath.Join(env.Dir, "blocks")); err != nil {
		t.Error(err)
	}
}
