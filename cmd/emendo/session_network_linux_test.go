package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
	"github.com/emendo-dev/emendo/agent/model/servertest"
)

const wordServer = `package main

import (
	"fmt"
	"net"
)

func main() {
	l, err := net.Listen("tcp4", "127.0.0.1:8080")
	if err != nil {
		panic(err)
	}
	fmt.Println("listening")
	for {
		if c, err := l.Accept(); err == nil {
			fmt.Fprintln(c, "served to", c.LocalAddr())
			c.Close()
		}
	}
}
`

const askServer = `{"command": "cat </dev/tcp/127.0.0.1/8080"}`

// servedWorld is a workspace with a server, which the model starts in the background and
// then asks twice. It runs more commands after that.
func servedWorld(t *testing.T, more ...string) *world {
	t.Helper()
	run := func(args string) geminitest.Reply { return geminitest.Do(geminitest.Call("run_shell_command", args)) }
	replies := []geminitest.Reply{run(`{"command": "./server", "is_background": true, "delay_ms": 500}`), run(askServer), run(askServer)}
	for _, args := range more {
		replies = append(replies, run(args))
	}
	w := newWorld(t, append(replies, geminitest.Say("Done."))...)
	w.env = append(w.env, levelVariable+"=A")
	source := filepath.Join(t.TempDir(), "main.go")
	w.put(source, wordServer)
	build := exec.Command("go", "build", "-trimpath", "-o", filepath.Join(w.dir, "server"), source)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return w
}

// wasServed checks and returns what the model was told.
func (w *world) wasServed() string {
	w.t.Helper()
	requests := w.model.Requests()
	said := string(requests[len(requests)-1].Body)
	if n := strings.Count(said, "served to 127.0.0.1:8080"); n != 2 {
		w.t.Errorf("the server was reached %d times, want 2", n)
	}
	return said
}

// A server in the background is reached by later commands of its session. What it says is no
// content from the network, so the command after it runs too, and finds the outside closed.
func TestRunReachesItsBackgroundServer(t *testing.T) {
	w := servedWorld(t, `{"command": "cat </dev/tcp/93.184.215.14/80"}`)
	w.run("-p", "hi", "--approval-mode", "yolo").wantCode(t, 0)
	if said := w.wasServed(); !strings.Contains(said, "unreachable") {
		t.Errorf("a host outside was not refused by the sandbox: %s", said)
	}
}

func TestEditorsSessionReachesItsBackgroundServer(t *testing.T) {
	w := servedWorld(t)
	w.trusted()
	v := w.edit()
	id := ask[oneSession](v, "emendo/session/new", params{"cwd": w.dir}).Session.SessionID
	ask[params](v, "emendo/session/setMode", params{"sessionId": id, "mode": "yolo"})
	ask[turnEnd](v, "emendo/session/prompt", params{"sessionId": id, "prompt": text("hi")})
	v.leave()
	w.wasServed()
}

func TestACPSessionReachesItsBackgroundServer(t *testing.T) {
	w := servedWorld(t)
	c := w.trusted().acp("--approval-mode", "yolo")
	c.Initialize()
	c.Must("session/prompt", promptParams(w.acpSession(c), "hi"), nil)
	w.wasServed()
}

// Whoever holds the network of a session ends with emendo, and so does what runs in it.
func TestSessionNetworkEndsWithAKill(t *testing.T) {
	t.Parallel() // it waits
	w := newWorld(t,
		geminitest.Do(geminitest.Call("run_shell_command", `{"command": "setsid sleep 600 & wait", "is_background": true}`)),
		geminitest.Reply{Events: []geminitest.Event{geminitest.Text("It runs")}, End: servertest.Stall})
	w.env = append(w.env, levelVariable+"=A")
	r := w.begin("-p", "hi", "--approval-mode", "yolo")
	r.until("It runs")
	pids := descendants(t, r.Process.Pid)
	if len(pids) < 4 { // the holder, the command's supervisor, its shell and the spare supervisor
		t.Errorf("only %v run", pids)
	}
	if err := r.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	r.end()
	for _, pid := range pids {
		gone(t, strconv.Itoa(pid))
	}
}

// descendants returns the processes that come from one.
func descendants(t *testing.T, from int) []int {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	children := map[int][]int{}
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(text), ") ")
		parent, err := strconv.Atoi(strings.Fields(rest)[1])
		if err != nil {
			t.Fatal(err)
		}
		children[parent] = append(children[parent], pid)
	}
	var l []int
	for next := children[from]; len(next) > 0; next = next[1:] {
		l = append(l, next[0])
		next = append(next, children[next[0]]...)
	}
	return l
}
