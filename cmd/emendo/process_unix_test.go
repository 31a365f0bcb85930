//go:build unix

package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
	"github.com/emendo-dev/emendo/agent/model/servertest"
)

// running is a running program that a test controls.
type running struct {
	*exec.Cmd
	t      *testing.T
	out    *bufio.Scanner
	stderr *bytes.Buffer
}

// begin starts `emendo run --trust` with stream-json.
func (w *world) begin(args ...string) *running {
	w.t.Helper()
	c := w.start(w.t.Context(), append([]string{"run", "--trust", "--output-format", "stream-json"}, args...)...)
	out, err := c.StdoutPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	var errs bytes.Buffer
	c.Stderr = &errs
	if err := c.Start(); err != nil {
		w.t.Fatal(err)
	}
	return &running{c, w.t, bufio.NewScanner(out), &errs}
}

// until reads lines up to one that contains words.
func (r *running) until(words string) {
	r.t.Helper()
	for r.out.Scan() {
		if strings.Contains(r.out.Text(), words) {
			return
		}
	}
	r.t.Fatalf("timed out waiting for %q; standard error: %s", words, r.stderr)
}

// end reads the rest and returns the last line and the exit status.
func (r *running) end() (last string, code int) {
	r.t.Helper()
	for r.out.Scan() {
		last = r.out.Text()
	}
	_ = r.Wait() // the status is checked below
	return last, r.ProcessState.ExitCode()
}

// waitFor waits until a file has text and returns it.
func (w *world) waitFor(name string) string {
	w.t.Helper()
	for {
		if b, err := os.ReadFile(filepath.Join(w.dir, name)); err == nil && bytes.HasSuffix(b, []byte("\n")) {
			return strings.TrimSpace(string(b))
		}
		select {
		case <-w.t.Context().Done():
			w.t.Fatalf("timed out waiting for %s", name)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// gone waits until no process has that ID.
func gone(t *testing.T, pid string) {
	t.Helper()
	for signalTo(t, pid, 0) == nil {
		select {
		case <-t.Context().Done():
			t.Fatalf("process %s still exists", pid)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func signalTo(t *testing.T, pid string, s syscall.Signal) error {
	t.Helper()
	n, err := strconv.Atoi(pid)
	if err != nil {
		t.Fatal(err)
	}
	return syscall.Kill(n, s)
}

func TestSignalEndsTheStream(t *testing.T) {
	for sent, code := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143, syscall.SIGHUP: 129} {
		t.Run(sent.String(), func(t *testing.T) {
			// The tests may run with a signal ignored, as by nohup, which a child would
			// inherit. Notify resets that for children.
			signals := make(chan os.Signal, 1)
			signal.Notify(signals, sent)
			defer signal.Stop(signals)
			stalls := geminitest.Reply{Events: []geminitest.Event{geminitest.Text("A beginning")}, End: servertest.Stall}
			r := newWorld(t, stalls).begin("-p", "hi")
			r.until("A beginning")
			begun := time.Now()
			if err := r.Process.Signal(sent); err != nil {
				t.Fatal(err)
			}
			last, got := r.end()
			if got != code || !strings.Contains(last, `"type":"result"`) || !strings.Contains(last, `"status":"error"`) {
				t.Errorf("exit %d, want %d; the last line is %s", got, code, last)
			}
			if took := time.Since(begun); took > 2*time.Second {
				t.Errorf("the end took %v", took)
			}
		})
	}
}

// A read of standard input does not delay the end after a signal forever.
func TestSignalEndsABlockedProcess(t *testing.T) {
	t.Parallel() // it waits
	c := newWorld(t).start(t.Context(), "policy", "check", "--command", "-")
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := in.Write(make([]byte, 1<<20)); err != nil { // more than a pipe holds, so the program is reading
		t.Fatal(err)
	}
	if err := c.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait() // the status is checked below
	if code := c.ProcessState.ExitCode(); code != 143 {
		t.Errorf("exit %d", code)
	}
}

func TestSignalEndsTheCommandAndItsChildren(t *testing.T) {
	w := newWorld(t, geminitest.Do(geminitest.Call("run_shell_command", `{"command": "sleep 600 & echo $! > pid; wait"}`)))
	w.env = append(w.env, levelVariable+"=C") // where process IDs are the same inside and outside
	r := w.begin("-p", "hi", "--allowed-tools", "run_shell_command")
	pid := w.waitFor("pid")
	if err := r.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if last, code := r.end(); code != 130 || !strings.Contains(last, `"type":"result"`) {
		t.Errorf("exit %d; the last line is %s", code, last)
	}
	gone(t, pid)
}

func TestSessionSurvivesAKill(t *testing.T) {
	stalls := geminitest.Reply{Events: []geminitest.Event{geminitest.Text("A beginning")}, End: servertest.Stall}
	w := newWorld(t, geminitest.Say("One."), stalls, geminitest.Say("Three."))
	w.run("-p", "question one", "--session-id", "mine").wantCode(t, 0)
	r := w.begin("-p", "question two", "--resume", "mine")
	r.until("A beginning")
	if err := r.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	r.end()
	a := w.run("-p", "question three", "--resume", "mine", "--output-format", "json").answer(t)
	if a.SessionID != "mine" || a.Response != "Three." {
		t.Errorf("continued %+v", a)
	}
	l := w.model.Requests()
	for _, words := range []string{"question one", "One.", "question two", "question three"} {
		if !strings.Contains(string(l[len(l)-1].Body), words) {
			t.Errorf("the history lacks %q", words)
		}
	}
}

func TestClosedPipeEndsTheRun(t *testing.T) {
	w := newWorld(t,
		geminitest.Do(geminitest.Call("run_shell_command", `{"command": "echo $$ > pid; sleep 600"}`)),
		geminitest.Say("never asked for"))
	w.env = append(w.env, levelVariable+"=C") // where process IDs are the same inside and outside
	c := w.start(t.Context(), "run", "--trust", "--output-format", "stream-json", "--allowed-tools", "run_shell_command", "-p", "hi")
	ours, theirs, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	c.Stdout = theirs
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	theirs.Close()
	pid := w.waitFor("pid")
	ours.Close()
	if err := signalTo(t, pid, syscall.SIGTERM); err != nil { // the call ends and is printed
		t.Fatal(err)
	}
	if err := c.Wait(); err != nil {
		t.Errorf("it ended with %v", err)
	}
	gone(t, pid)
	if n := len(w.model.Requests()); n != 1 {
		t.Errorf("the model got %d requests", n)
	}
}

// A closed pipe, as by head, prints no error, but the status is not success.
func TestClosedPipePrintsNothing(t *testing.T) {
	for _, args := range [][]string{
		{"version"},
		{"version", "--json"},
		{"doctor"},
		{"doctor", "--json"},
		{"sessions", "show", "mine"},
		{"sessions", "list"},
		{"sessions", "list", "--json"},
		{"policy", "check", "--command", "ls"},
		{"trust", "list", "--json"},
	} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			w := newWorld(t, geminitest.Say("One."))
			w.run("-p", "hi", "--session-id", "mine").wantCode(t, 0)
			c := w.start(t.Context(), args...)
			ours, theirs, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			var said bytes.Buffer
			c.Stdout, c.Stderr = theirs, &said
			ours.Close()
			_ = c.Run() // the status is checked below
			theirs.Close()
			if code := c.ProcessState.ExitCode(); code != exitFailure || said.Len() > 0 {
				t.Errorf("exit %d, saying %q", code, &said)
			}
		})
	}
}

// Only the pipe that emendo prints to may break without a message.
func TestBrokenConnectionsArePrinted(t *testing.T) {
	for _, c := range []struct {
		name string
		err  error
		want bool // nothing is printed
	}{
		{"standard output", &fs.PathError{Op: "write", Path: os.Stdout.Name(), Err: syscall.EPIPE}, true},
		{"a connection", &url.Error{Op: "Post", URL: "https://model.example", Err: &net.OpError{Op: "write", Net: "tcp", Err: os.NewSyscallError("write", syscall.EPIPE)}}, false},
		{"a server's standard input", &fs.PathError{Op: "write", Path: "|1", Err: syscall.EPIPE}, false},
		{"a full disk", &fs.PathError{Op: "write", Path: os.Stdout.Name(), Err: syscall.ENOSPC}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := isPipeClosed(fmt.Errorf("send: %w", c.err)); got != c.want {
				t.Errorf("isPipeClosed is %t, want %t", got, c.want)
			}
		})
	}
}

func TestStandardInput(t *testing.T) {
	tests := []struct {
		name  string
		stdin string
		args  []string
		want  string // the prompt
	}{
		{"alone", "from the pipe\n", nil, "from the pipe"},
		{"before a prompt", "from the pipe\n", []string{"-p", "from the flag"}, "from the pipe\n\nfrom the flag"},
		{"before an argument", "from the pipe\n", []string{"an argument"}, "from the pipe\n\nan argument"},
		{"empty", "", []string{"-p", "from the flag"}, "from the flag"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, geminitest.Say("Hello."))
			c := w.start(t.Context(), append([]string{"run"}, tt.args...)...)
			c.Stdin = strings.NewReader(tt.stdin)
			if out, err := c.Output(); err != nil || string(out) != "Hello.\n" {
				t.Fatalf("%v: %s", err, out)
			}
			if said := w.model.Requests()[0].Said(); !strings.HasSuffix(said, tt.want) {
				t.Errorf("the prompt was %q, want %q", said, tt.want)
			}
		})
	}
}

// A pipe that is never written has ten seconds. The user is told, and the answer is there.
func TestIdlePipeIsGivenUp(t *testing.T) {
	t.Parallel() // it waits
	w := newWorld(t, geminitest.Say("Hello."))
	c := w.start(t.Context(), "run", "-p", "hi")
	idle, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	c.Stdin = idle
	var errs strings.Builder
	c.Stderr = &errs
	out, err := c.Output()
	idle.Close()
	if err != nil || string(out) != "Hello.\n" || !strings.Contains(errs.String(), "going on without it") {
		t.Errorf("%v: %q, %q", err, out, errs.String())
	}
}
