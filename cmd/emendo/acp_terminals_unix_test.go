//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/emendo-dev/emendo/acp/acptest"
	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// editorTerminals are the terminals of an editor.
type editorTerminals struct {
	mu       sync.Mutex
	all      map[string]*editorTerminal
	released int
}

type editorTerminal struct {
	cmd    *exec.Cmd
	output strings.Builder
	done   chan struct{}
}

// answer answers the requests about terminals.
func (e *editorTerminals) answer(method string, params json.RawMessage) (any, error) {
	var p struct {
		TerminalID, Command, Cwd string
		Args                     []string
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, err
	}
	e.mu.Lock()
	x := e.all[p.TerminalID]
	e.mu.Unlock()
	if x == nil && method != "terminal/create" {
		return nil, fmt.Errorf("%s: no terminal %q", method, p.TerminalID)
	}
	switch method {
	case "terminal/create":
		x = &editorTerminal{cmd: exec.Command(p.Command, p.Args...), done: make(chan struct{})}
		x.cmd.Dir, x.cmd.Stdout, x.cmd.Stderr = p.Cwd, &x.output, &x.output
		x.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		if err := x.cmd.Start(); err != nil {
			return nil, err
		}
		go func() { _ = x.cmd.Wait(); close(x.done) }()
		e.mu.Lock()
		defer e.mu.Unlock()
		id := fmt.Sprintf("t%d", len(e.all)+1)
		e.all[id] = x
		return map[string]any{"terminalId": id}, nil
	case "terminal/wait_for_exit":
		<-x.done
		if x.cmd.ProcessState.ExitCode() < 0 {
			return map[string]any{"signal": "SIGKILL"}, nil
		}
		return map[string]any{"exitCode": x.cmd.ProcessState.ExitCode()}, nil
	case "terminal/output":
		select {
		case <-x.done:
			return map[string]any{"output": x.output.String(), "truncated": false}, nil
		default:
			return map[string]any{"output": "", "truncated": false}, nil
		}
	case "terminal/kill":
		return struct{}{}, syscall.Kill(-x.cmd.Process.Pid, syscall.SIGKILL)
	case "terminal/release":
		e.mu.Lock()
		e.released++
		e.mu.Unlock()
		return struct{}{}, nil
	}
	return nil, fmt.Errorf("%s was not declared", method)
}

func runCommand(command string) geminitest.Reply {
	args, err := json.Marshal(map[string]string{"command": command})
	if err != nil {
		panic(err)
	}
	return geminitest.Do(geminitest.Call("run_shell_command", string(args)))
}

func shownTerminal(u acptest.Update) bool {
	l := u.Contents()
	return len(l) == 1 && l[0].Type == "terminal" && l[0].TerminalID == "t1"
}

// TestACPTerminals: commands without a sandbox run in the editor's terminal, with the
// environment that commands have, and the model reads their output and exit status.
func TestACPTerminals(t *testing.T) {
	w := newWorld(t, runCommand(`echo "key: [$GEMINI_API_KEY]"; pwd; exit 3`), geminitest.Say("ok")).trusted()
	t.Setenv("GEMINI_API_KEY", "of the editor")
	c := w.acp("--no-sandbox")
	e := &editorTerminals{all: map[string]*editorTerminal{}}
	c.Capabilities, c.Answer, c.Permit = map[string]any{"terminal": true}, e.answer, option("allow_once", nil)
	c.Initialize()
	askACP(t, c, w.acpSession(c), "run it")
	rs := w.model.Requests()
	for _, want := range []string{`key: []\n` + w.dir, "Exit Code: 3"} {
		if got := string(rs[len(rs)-1].Body); !strings.Contains(got, want) {
			t.Errorf("the model does not read %q: %s", want, got)
		}
	}
	if len(e.all) != 1 || e.released != 1 {
		t.Errorf("%d terminals, %d released", len(e.all), e.released)
	}
	c.AwaitUpdate("the terminal", shownTerminal)
}

func TestACPTerminalOfACancelledTurn(t *testing.T) {
	w := newWorld(t, runCommand("sleep 600")).trusted()
	c := w.acp("--no-sandbox")
	e := &editorTerminals{all: map[string]*editorTerminal{}}
	c.Capabilities, c.Answer, c.Permit = map[string]any{"terminal": true}, e.answer, option("allow_once", nil)
	c.Initialize()
	id := w.acpSession(c)
	_, wait := c.Go("session/prompt", promptParams(id, "run it"))
	c.AwaitUpdate("the terminal", shownTerminal)
	c.Tell("session/cancel", map[string]any{"sessionId": id})
	if raw, err := wait(); err != nil || !strings.Contains(string(raw), `"cancelled"`) {
		t.Errorf("the prompt is answered %s, %v", raw, err)
	}
	select {
	case <-e.all["t1"].done:
	default:
		t.Error("the command still runs")
	}
}

// TestACPTerminalThatStartsTooLate: a command that the editor starts only after the turn was
// cancelled is ended.
func TestACPTerminalThatStartsTooLate(t *testing.T) {
	w := newWorld(t, runCommand("sleep 600")).trusted()
	c := w.acp("--no-sandbox")
	e := &editorTerminals{all: map[string]*editorTerminal{}}
	asked, over := make(chan struct{}), make(chan struct{})
	c.Capabilities, c.Permit = map[string]any{"terminal": true}, option("allow_once", nil)
	c.Answer = func(method string, params json.RawMessage) (any, error) {
		if method == "terminal/create" {
			close(asked)
			<-over
		}
		return e.answer(method, params)
	}
	c.Initialize()
	id := w.acpSession(c)
	_, wait := c.Go("session/prompt", promptParams(id, "run it"))
	<-asked
	c.Tell("session/cancel", map[string]any{"sessionId": id})
	if raw, err := wait(); err != nil || !strings.Contains(string(raw), `"cancelled"`) {
		t.Errorf("the prompt is answered %s, %v", raw, err)
	}
	close(over)
	c.Await("the release", func(m acptest.Message) bool { return m.Method == "terminal/release" })
	e.mu.Lock()
	x := e.all["t1"]
	e.mu.Unlock()
	<-x.done
}

// TestACPTerminalOfASession: a command runs in a terminal of its own session, though
// another one was opened in the folder since.
func TestACPTerminalOfASession(t *testing.T) {
	w := newWorld(t, runCommand("echo hello"), geminitest.Say("ok")).trusted()
	c := w.acp("--no-sandbox")
	e := &editorTerminals{all: map[string]*editorTerminal{}}
	started := make(chan string, 1)
	c.Capabilities = map[string]any{"terminal": true}
	c.Answer = func(method string, params json.RawMessage) (any, error) {
		if method == "terminal/create" {
			var p struct{ SessionID string }
			if err := json.Unmarshal(params, &p); err != nil {
				return nil, err
			}
			started <- p.SessionID
		}
		return e.answer(method, params)
	}
	asked, opened := make(chan struct{}), make(chan struct{})
	c.Permit = func(p acptest.Permission) string {
		close(asked)
		<-opened
		return option("allow_once", nil)(p)
	}
	c.Initialize()
	id := w.acpSession(c)
	_, wait := c.Go("session/prompt", promptParams(id, "run it"))
	<-asked
	w.acpSession(c)
	close(opened)
	if _, err := wait(); err != nil {
		t.Fatal(err)
	}
	if got := <-started; got != id {
		t.Errorf("the terminal is one of session %s, want %s", got, id)
	}
}

// TestACPNoTerminals: without them, and for what is sandboxed, emendo runs commands
// itself and shows their output.
func TestACPNoTerminals(t *testing.T) {
	w := newWorld(t, runCommand("echo hello"), geminitest.Say("ok")).trusted()
	c := w.acp("--no-sandbox")
	c.Permit = option("allow_once", nil)
	c.Initialize()
	askACP(t, c, w.acpSession(c), "run it")
	c.AwaitUpdate("the output", func(u acptest.Update) bool {
		return u.Update.Status == "completed" && strings.Contains(acptest.Text(u.Contents()), "hello")
	})
}
