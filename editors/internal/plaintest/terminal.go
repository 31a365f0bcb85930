package plaintest

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// patience is how long a test waits for what must come, soon for what may not
// come, and look how often it looks.
const (
	patience = 20 * time.Second
	soon     = 2 * time.Second
	look     = 30 * time.Millisecond
)

// A Terminal is a screen of 100 by 30 cells, with a program that runs in it and
// a user who presses keys.
type Terminal struct {
	T testing.TB

	tmux, socket string
}

// Start starts a program in a terminal of its own, with no environment but env.
// The tmux is the one to drive it with.
func Start(t testing.TB, tmux, dir string, env []string, command ...string) *Terminal {
	t.Helper()
	e := &Terminal{t, tmux, filepath.Join(t.TempDir(), "tmux")}
	args := append([]string{"-f", "/dev/null", "new-session", "-d", "-s", "editor", "-x", "100", "-y", "30", "-c", dir, "env", "-i"}, env...)
	e.do(append(args, command...)...)
	t.Cleanup(func() { _ = exec.Command(tmux, "-S", e.socket, "kill-server").Run() })
	return e
}

func (e *Terminal) do(args ...string) string {
	e.T.Helper()
	cmd := exec.Command(e.tmux, append([]string{"-u", "-S", e.socket}, args...)...)
	cmd.Env = append(cmd.Environ(), "LC_ALL=C.UTF-8") // without one tmux does not start, or shows no letters but ASCII
	out, err := cmd.CombinedOutput()
	if err != nil {
		e.T.Fatalf("tmux %q: %v\n%s", args, err, out)
	}
	return string(out)
}

// Keys presses keys, as tmux names them.
func (e *Terminal) Keys(keys ...string) {
	e.T.Helper()
	e.do(append([]string{"send-keys", "-t", "editor"}, keys...)...)
}

// Types types a text.
func (e *Terminal) Types(text string) {
	e.T.Helper()
	e.do("send-keys", "-t", "editor", "-l", text)
}

// Screen is what the screen shows.
func (e *Terminal) Screen() string {
	e.T.Helper()
	return e.do("capture-pane", "-p", "-t", "editor")
}

// Sees waits until the screen shows each of the texts.
func (e *Terminal) Sees(texts ...string) {
	e.T.Helper()
	for _, text := range texts {
		e.Until("the screen shows "+text, func() bool { return strings.Contains(e.Screen(), text) })
	}
}

// Until waits for a condition. The test ends if it does not come.
func (e *Terminal) Until(what string, holds func() bool) {
	e.T.Helper()
	if !within(patience, holds) {
		e.Fail("waited in vain until " + what)
	}
}

// Soon waits a little for a condition that may not come, and reports whether it
// did.
func (e *Terminal) Soon(holds func() bool) bool { return within(soon, holds) }

func within(limit time.Duration, holds func() bool) bool {
	late := time.Now().Add(limit)
	tick := time.NewTicker(look)
	defer tick.Stop()
	for {
		if holds() {
			return true
		}
		if time.Now().After(late) {
			return false
		}
		<-tick.C
	}
}

// Fail ends the test with what is on the screen.
func (e *Terminal) Fail(what string) {
	e.T.Helper()
	e.T.Fatalf("%s\n\nThe screen:\n%s", what, e.Screen())
}
