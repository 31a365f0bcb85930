package linux_test

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/internal/sandbox/attacktest"
	"github.com/emendo-dev/emendo/internal/sandbox/linux"
)

// waitingChild returns the ID of the spare supervisor, the only child of this
// process.
func waitingChild(t *testing.T) int {
	t.Helper()
	for until := time.Now().Add(20 * time.Second); time.Now().Before(until); runtime.Gosched() {
		stats, err := filepath.Glob("/proc/[0-9]*/stat")
		if err != nil {
			t.Fatal(err)
		}
		var children []int
		for _, stat := range stats {
			text, err := os.ReadFile(stat)
			if err != nil {
				continue // it has ended
			}
			fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
			if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(stat))); err == nil && len(fields) > 1 && fields[1] == strconv.Itoa(os.Getpid()) {
				children = append(children, pid)
			}
		}
		if len(children) == 1 {
			return children[0]
		}
	}
	t.Fatal("no supervisor waits for the next command")
	return 0
}

// takeWaiting starts a command at level A by the spare supervisor, which has
// the same ID.
func takeWaiting(t *testing.T, b *attacktest.Testbed) (pid int) {
	t.Helper()
	for range 10 { // one that was just forked is not yet taken
		waiting := waitingChild(t)
		p, err := linux.StartInNamespaces(t.Context(), sandbox.Command{Argv: []string{"/bin/echo", "x"}, Dir: b.Work, Env: []string{"PATH=/usr/bin:/bin"}, Profile: b.Profile()})
		if err != nil {
			t.Fatal(err)
		}
		out, pid := attacktest.ReadAll(t, p), p.PID()
		if end := p.Wait(); out != "x\n" || end != (sandbox.Exit{}) {
			t.Errorf("it printed %q and ended with %+v", out, end)
		}
		p.Kill(0)
		if pid == waiting {
			return pid
		}
	}
	t.Fatal("no command was started by the supervisor that waited")
	return 0
}

func TestCommandInNamespacesUsesTheSpareSupervisor(t *testing.T) {
	b := attacktest.NewTestbed(t)
	b.Shell(attacktest.With(linux.StartInNamespaces), ":")
	first := takeWaiting(t, b)
	second := waitingChild(t)
	if second == first {
		t.Fatal("a supervisor waits again after its command")
	}
	if err := unix.Kill(second, unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if out, _ := b.Shell(attacktest.With(linux.StartInNamespaces), "echo three"); out != "three\n" {
		t.Errorf("after the one that waited was killed: got %q", out)
	}
}

// Files that a command creates have the usual modes.
func TestCommandHasTheUsersUmask(t *testing.T) {
	b := attacktest.NewTestbed(t)
	b.Shell(attacktest.With(linux.StartInNamespaces), ":")
	old := unix.Umask(0o027)
	defer func() {
		unix.Umask(old)
		takeWaiting(t, b) // it was started with another mask
	}()
	takeWaiting(t, b)
	for name, start := range attacktest.EveryMeans() {
		if out, _ := b.Shell(start, "umask"); out != "0027\n" {
			t.Errorf("%s: got %q", name, out)
		}
	}
}
