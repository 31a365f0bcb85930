package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// escapes are ways for a process to escape from its command: by a session, a parent, an
// environment. Each starts one process that sleeps for NUMBER seconds.
var escapes = []string{
	"sleep NUMBER &",
	"setsid sleep NUMBER &",
	"(sleep NUMBER &)",
	"setsid bash -c '(setsid sleep NUMBER &)' &",
	"env -i PATH=$PATH setsid bash -c '(sleep NUMBER &)' &",
	"bash -c 'trap \"\" TERM HUP INT; exec sleep NUMBER' &",
	"nohup setsid sleep NUMBER >/dev/null 2>&1 </dev/null &",
}

// A second after SIGKILL of the program, no process of its commands is left, however it
// tried to escape, at every level of the sandbox.
func TestAKillEndsEveryProcess(t *testing.T) {
	if testing.Short() {
		t.Skip("kill test")
	}
	type user struct {
		name string
		uid  uint32
	}
	users := []user{{"its own user", uint32(os.Getuid())}}
	if os.Getuid() == 0 {
		users = append(users, user{"an ordinary user", 65534})
	}
	for _, level := range []string{"A", "B", "C"} {
		for _, u := range users {
			t.Run(level+" as "+u.name, func(t *testing.T) {
				number := fmt.Sprintf("%d.%d", 6_000_000+os.Getpid(), time.Now().UnixNano())
				command := strings.ReplaceAll(strings.Join(escapes, "\n"), "NUMBER", number) + "\nwait; sleep 600"
				w := newWorld(t, geminitest.Do(geminitest.Call("run_shell_command", fmt.Sprintf(`{"command": %q}`, command))))
				w.env = append(w.env, levelVariable+"="+level)
				if u.uid != uint32(os.Getuid()) {
					w.giveTo(u.uid)
				}
				c := w.start(t.Context(), "run", "--trust", "--allowed-tools", "run_shell_command", "-p", "hi")
				var said bytes.Buffer
				c.Stdout, c.Stderr = &said, &said
				if err := c.Start(); err != nil {
					t.Fatal(err)
				}
				if !within(20*time.Second, func() bool { return len(sleepers(number)) == len(escapes) }) {
					_ = c.Process.Kill() // the test has failed
					_ = c.Wait()
					t.Fatalf("only %d of %d processes came to run: %s", len(sleepers(number)), len(escapes), &said)
				}
				if err := c.Process.Kill(); err != nil {
					t.Fatal(err)
				}
				began := time.Now()
				if !within(time.Second, func() bool { return len(sleepers(number)) == 0 }) {
					t.Errorf("after a second %d of %d processes are left", len(sleepers(number)), len(escapes))
				}
				t.Logf("all were gone after %v", time.Since(began))
				_ = c.Wait() // it was killed
			})
		}
	}
}

// giveTo changes the owner of the world to another user, who then runs the program.
func (w *world) giveTo(uid uint32) {
	w.t.Helper()
	w.as = func(c *exec.Cmd) {
		c.Path = "/proc/self/exe" // executable for every user
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid, Groups: []uint32{}}}
	}
	base := filepath.Dir(w.dir)
	if err := os.Chmod(filepath.Dir(base), 0o755); err != nil { //nolint:gosec // another user needs access
		w.t.Fatal(err)
	}
	err := filepath.WalkDir(base, func(path string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, int(uid), int(uid))
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

// sleepers returns the processes that sleep for that many seconds.
func sleepers(number string) (pids []string) {
	all, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, name := range all {
		b, err := os.ReadFile(name) // the process may have ended
		if err == nil && string(b) == "sleep\x00"+number+"\x00" {
			pids = append(pids, filepath.Base(filepath.Dir(name)))
		}
	}
	return pids
}

// within waits for a condition and reports whether it became true in time.
func within(most time.Duration, so func() bool) bool {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for until := time.Now().Add(most); time.Now().Before(until); <-tick.C {
		if so() {
			return true
		}
	}
	return so()
}
