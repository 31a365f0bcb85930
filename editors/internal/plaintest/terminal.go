package plaintest

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// patience is how long a test waits for something that must happen, soon for something
// that may not happen, and look is the polling interval.
const (
	patience = 20 * time.Second
	soon     = 2 * time.Second
	look     = 30 * time.Millisecond
)

// A Terminal is a tmux session of 100 by 30 cells with a program that the test types
// into.
type Terminal struct {
	T testing.TB

	tmux, socket string
}

// Start starts a program in a new terminal with exactly the environment env, using
// the tmux at this path.
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
	cmd.Env = append(cmd.Environ(), "LC_ALL=C.UTF-8") // without a locale tmux does not start, or only shows ASCII
	out, err := cmd.CombinedOutput()
	if err != nil {
		e.T.Fatalf("tmux %q: %v\n%s", args, err, out)
	}
	return string(out)
}

// Press presses keys, in tmux's notation.
func (e *Terminal) Press(keys ...string) {
	e.T.Helper()
	e.do(append([]string{"send-keys", "-t", "editor"}, keys...)...)
}

// Type types a text.
func (e *Terminal) Type(text string) {
	e.T.Helper()
	e.do("send-keys", "-t", "editor", "-l", text)
}

// Screen returns the text on the screen.
func (e *Terminal) Screen() string {
	e.T.Helper()
	return e.do("capture-pane", "-p", "-t", "editor")
}

// WaitFor waits until the screen shows each of the texts.
func (e *Terminal) WaitFor(texts ...string) {
	e.T.Helper()
	for _, text := range texts {
		e.WaitUntil("the screen shows "+text, func() bool { return strings.Contains(e.Screen(), text) })
	}
}

// WaitUntil waits for a condition, and fails the test if it does not become true.
func (e *Terminal) WaitUntil(what string, holds func() bool) {
	e.T.Helper()
	if !within(patience, holds) {
		e.Fail("timed out waiting until " + what)
	}
}

// WaitBriefly waits briefly for a condition and reports whether it became true.
func (e *Terminal) WaitBriefly(holds func() bool) bool { return within(soon, holds) }

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

// Fail fails the test and prints the screen.
func (e *Terminal) Fail(what string) {
	e.T.Helper()
	e.T.Fatalf("%s\n\nThe screen:\n%s", what, e.Screen())
}
