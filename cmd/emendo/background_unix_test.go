//go:build unix

package main

import (
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
	"github.com/emendo-dev/emendo/agent/model/servertest"
)

// beginServer makes the model start a background command that prints its process ID and
// keeps running, and then reply with then.
func beginServer(t *testing.T, then geminitest.Reply) (*world, *running) {
	t.Helper()
	w := newWorld(t, geminitest.Do(geminitest.Call("run_shell_command", `{"command": "setsid sleep 600 & echo $! > pid; wait", "is_background": true, "delay_ms": 2000}`)), then)
	w.env = append(w.env, levelVariable+"=C") // where process IDs are the same inside and outside
	return w, w.begin("-p", "hi", "--allowed-tools", "run_shell_command")
}

func TestBackgroundEndsWithTheRun(t *testing.T) {
	t.Parallel() // it waits
	w, r := beginServer(t, geminitest.Say("It runs."))
	pid := w.waitFor("pid")
	if last, code := r.end(); code != 0 || !strings.Contains(last, `"type":"result"`) {
		t.Errorf("exit %d; the last line is %s", code, last)
	}
	gone(t, pid)
	if said := string(w.model.Requests()[1].Body); !strings.Contains(said, "running in the background as process") {
		t.Errorf("the model got %s", said)
	}
}

func TestBackgroundEndsWithAKill(t *testing.T) {
	t.Parallel() // it waits
	w, r := beginServer(t, geminitest.Reply{Events: []geminitest.Event{geminitest.Text("It runs")}, End: servertest.Stall})
	pid := w.waitFor("pid")
	r.until("It runs")
	if err := r.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	r.end()
	gone(t, pid)
}
