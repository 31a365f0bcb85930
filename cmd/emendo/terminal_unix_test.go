//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
	"github.com/emendo-dev/emendo/lsp/lsptest"
)

// viewer is an editor with a server of its own, and what its terminals show.
type viewer struct {
	*world
	editor *lsptest.Editor
	over   chan struct{} // closed when the server has ended
	stop   func()        // ends the server as the end of the editor does
	kill   func()        // ends the server itself
	pid    int

	mu    sync.Mutex
	shown map[string]*bytes.Buffer
	exits map[string]json.RawMessage
	news  chan struct{}
}

// hear takes a message of the server.
func (v *viewer) hear(method string, params json.RawMessage) {
	var p struct {
		Update struct {
			Kind       string `json:"sessionUpdate"`
			TerminalID string `json:"terminalId"`
			Data       string
			Exit       json.RawMessage
		}
	}
	if err := json.Unmarshal(params, &p); err != nil || method != "emendo/session/update" || p.Update.Kind != "_emendo/terminal" {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	b := v.shown[p.Update.TerminalID]
	if b == nil {
		b = &bytes.Buffer{}
		v.shown[p.Update.TerminalID] = b
	}
	b.WriteString(p.Update.Data)
	if p.Update.Exit != nil {
		v.exits[p.Update.TerminalID] = p.Update.Exit
	}
	select {
	case v.news <- struct{}{}:
	default:
	}
}

// edit starts an editor in a world.
func edit(t *testing.T, w *world) *viewer {
	t.Helper()
	c := w.start(t.Context(), "lsp")
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	c.Stderr = &said
	v := &viewer{world: w, over: make(chan struct{}), shown: map[string]*bytes.Buffer{}, exits: map[string]json.RawMessage{}, news: make(chan struct{}, 1)}
	v.stop = func() { _ = in.Close() }
	v.kill = func() { _ = c.Process.Kill() }
	started := make(chan error, 1)
	v.editor, err = lsptest.Connect(lsptest.Recorded("plugin"), func(_ context.Context, r io.Reader, out io.Writer) error {
		defer close(v.over)
		c.Stdout = out
		err := c.Start()
		started <- err
		if err != nil {
			return err
		}
		go func() {
			_, _ = io.Copy(in, r) // the server may be gone
			v.stop()
		}()
		_ = c.Wait() // tests end it in many ways
		return out.(io.Closer).Close()
	})
	if err == nil {
		err = <-started
	}
	if err != nil {
		t.Fatal(err)
	}
	v.pid = c.Process.Pid
	v.editor.Heard = v.hear
	t.Cleanup(func() {
		v.stop()
		<-v.over
		if t.Failed() {
			t.Logf("the server wrote %s", &said)
		}
	})
	err = v.editor.Initialize(object{
		"capabilities":          object{"experimental": object{"emendo": object{"version": 1, "session": true, "permission": true, "terminals": true}}},
		"initializationOptions": object{"trust": "trusted"},
		"workspaceFolders":      []object{{"uri": "file://" + w.dir, "name": "w"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func (v *viewer) ask(method string, params, result any) {
	v.t.Helper()
	if err := v.editor.Call(v.t.Context(), method, params, result); err != nil {
		v.t.Fatalf("%s: %v", method, err)
	}
}

// terminal opens a terminal.
func (v *viewer) terminal(params object) string {
	v.t.Helper()
	var o struct {
		TerminalID string `json:"terminalId"`
	}
	v.ask("emendo/terminal/open", params, &o)
	return o.TerminalID
}

// session begins a session and returns its ID.
func (v *viewer) session(params object) string {
	v.t.Helper()
	var s struct {
		Session struct {
			ID string `json:"sessionId"`
		} `json:"session"`
	}
	v.ask("emendo/session/new", params, &s)
	return s.Session.ID
}

func (v *viewer) typeIn(id, text string) {
	v.t.Helper()
	v.ask("emendo/terminal/write", object{"terminalId": id, "data": text}, nil)
}

// waitForShown waits until a terminal shows what a pattern matches, or with an empty one until it
// has ended, and returns what it shows.
func (v *viewer) waitForShown(id, pattern string) string {
	v.t.Helper()
	looked, late := regexp.MustCompile(pattern), time.After(time.Minute)
	for {
		v.mu.Lock()
		text, over := "", v.exits[id] != nil
		if b := v.shown[id]; b != nil && (pattern != "" || over) {
			text = b.String()
		}
		v.mu.Unlock()
		if pattern != "" && looked.MatchString(text) || pattern == "" && over {
			return text
		}
		select {
		case <-v.news:
		case <-v.over:
			v.t.Fatalf("the server ended; the terminal shows %q", text)
		case <-late:
			v.t.Fatalf("no %q; the terminal shows %q", pattern, text)
		}
	}
}

// exit returns how a terminal has ended.
func (v *viewer) exit(id string) string {
	v.t.Helper()
	v.waitForShown(id, "")
	v.mu.Lock()
	defer v.mu.Unlock()
	return string(v.exits[id])
}

func TestTheUsersShellInATerminal(t *testing.T) {
	w := newWorld(t)
	w.env = append(w.env, "SHELL=/bin/sh", "PS1=ready> ", "EMENDO_CLIENT_VARIABLES=GEMINI_API_KEY,OTHER", "OTHER=x", "MINE=yes")
	v := edit(t, w)
	id := v.terminal(object{"rows": 11, "columns": 77})
	v.typeIn(id, "stty size; tty; pwd\n")
	text := v.waitForShown(id, `11 77\r\n/dev/\S+\r\n/\S+\r\n`)
	if !strings.Contains(text, w.dir) {
		t.Errorf("it is not in the folder of the workspace: %q", text)
	}
	v.ask("emendo/terminal/resize", object{"terminalId": id, "rows": 22, "columns": 99}, nil)
	v.typeIn(id, "stty size\n")
	v.waitForShown(id, `22 99\r\n`)
	v.typeIn(id, "echo [$GEMINI_API_KEY$OTHER$EMENDO_CLIENT_VARIABLES] $MINE $TERM\n")
	v.waitForShown(id, `\[\] yes xterm-256color\r\n`)
	v.typeIn(id, "printf 'gr\\303'; printf '\\274n \\377.\\n'; cat\n")
	v.waitForShown(id, "grün \ufffd\\.\r\n")
	v.typeIn(id, "meow\n")
	v.waitForShown(id, `meow\r\nmeow\r\n`)
	v.typeIn(id, "\x03") // reaches cat, and not the shell
	v.waitForShown(id, `meow\r\n[^m]*ready> $`)
	v.typeIn(id, "exit 7\n")
	if e := v.exit(id); !strings.Contains(e, `"exitCode":7`) {
		t.Errorf("it ended with %s", e)
	}
}

// A program in a terminal and all that it has started end when the terminal is closed, when the
// editor dies, and when the server is killed.
func TestNothingOutlivesATerminal(t *testing.T) {
	for name, end := range map[string]func(v *viewer, id string){
		"closed":                func(v *viewer, id string) { v.ask("emendo/terminal/close", object{"terminalId": id}, nil) },
		"the editor is gone":    func(v *viewer, _ string) { v.stop() },
		"the server was killed": func(v *viewer, _ string) { v.kill() },
		"the shell has ended":   func(v *viewer, id string) { v.typeIn(id, "exit\n"); v.exit(id) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.env = append(w.env, "SHELL=/bin/sh")
			v := edit(t, w)
			id := v.terminal(object{})
			v.typeIn(id, "trap '' HUP TERM; sleep 600 & echo $! $$ > some; (setsid sleep 600 & echo $! >> some; mv some pids)\n")
			pids := strings.Fields(w.waitFor("pids"))
			end(v, id)
			if len(pids) != 3 {
				t.Errorf("started were %v", pids)
			}
			for _, pid := range pids {
				gone(t, pid)
			}
		})
	}
}

// What runs in the user's own terminal may change what emendo may do, as in any other.
func TestATerminalIsTheUsersOwn(t *testing.T) {
	w := newWorld(t)
	w.env = append(w.env, "SHELL=/bin/sh")
	v := edit(t, w)
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	id := v.terminal(object{"command": fmt.Sprintf("%s trust add %s && %s trust list", program, w.dir, program)})
	v.waitForShown(id, `\?`)
	v.typeIn(id, "y\n")
	if text, e := v.waitForShown(id, ""), v.exit(id); !strings.Contains(e, `"exitCode":0`) || !strings.Contains(text, w.dir) {
		t.Errorf("it ended with %s: %s", e, text)
	}
}

// A command that the model has started in the background is shown from its beginning on, and
// goes on when its terminal is closed.
func TestACommandInTheBackgroundInATerminal(t *testing.T) {
	w := newWorld(t, geminitest.Do(geminitest.Call("run_shell_command", `{"command": "echo begun; until test -e go; do sleep 0.05; done; printf '\\033[32mgone on\\033[0m\\n'; exit 3", "is_background": true, "delay_ms": 2000}`)), geminitest.Say("It runs."))
	w.env = append(w.env, levelVariable+"=A")
	v := edit(t, w)
	session := v.session(object{"mode": "yolo"})
	v.ask("emendo/session/prompt", object{"sessionId": session, "prompt": []object{{"type": "text", "text": "hi"}}}, nil)
	found := regexp.MustCompile(`running in the background as process (\d+)`).FindSubmatch(w.model.Requests()[1].Body)
	if found == nil {
		t.Fatalf("the model got %s", w.model.Requests()[1].Body)
	}
	pid, err := strconv.Atoi(string(found[1]))
	if err != nil {
		t.Fatal(err)
	}
	id := v.terminal(object{"sessionId": session, "pid": pid})
	v.waitForShown(id, `^begun\r\n$`)
	if err := v.editor.Call(t.Context(), "emendo/terminal/write", object{"terminalId": id, "data": "x"}, nil); err == nil || !strings.Contains(err.Error(), "has no input") {
		t.Errorf("typing there: %v", err)
	}
	v.ask("emendo/terminal/close", object{"terminalId": id}, nil)
	again := v.terminal(object{"sessionId": session, "pid": pid})
	w.write("go", "")
	if text := v.waitForShown(again, ""); text != "begun\r\n\x1b[32mgone on\x1b[0m\r\n" {
		t.Errorf("the terminal shows %q", text)
	}
	if e := v.exit(again); !strings.Contains(e, "exit 3") {
		t.Errorf("it ended with %s", e)
	}
	if text := v.waitForShown(v.terminal(object{"sessionId": session, "pid": pid}), "gone on"); !strings.HasPrefix(text, "begun") {
		t.Errorf("after its end the terminal shows %q", text)
	}
	if err := v.editor.Call(t.Context(), "emendo/terminal/open", object{"sessionId": session, "pid": 1}, nil); err == nil || !strings.Contains(err.Error(), "not there any more") {
		t.Errorf("another process is shown: %v", err)
	}
}

// What is typed and shown in the user's terminal is in no file of emendo's and in no request.
func TestWhatIsTypedIsNotKept(t *testing.T) {
	w := newWorld(t, geminitest.Say("Hello."))
	w.env = append(w.env, "SHELL=/bin/sh")
	v := edit(t, w)
	session := v.session(object{})
	id := v.terminal(object{"sessionId": session})
	v.typeIn(id, "echo typed-$((40 + 2))\n")
	v.waitForShown(id, `typed-42\r\n`)
	v.ask("emendo/session/prompt", object{"sessionId": session, "prompt": []object{{"type": "text", "text": "hi"}}}, nil)
	v.typeIn(id, "exit\n")
	v.exit(id)
	for _, r := range w.model.Requests() {
		if bytes.Contains(r.Body, []byte("typed-")) {
			t.Errorf("the model got %s", r.Body)
		}
	}
	err := filepath.WalkDir(filepath.Dir(w.dir), func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(path)
		if bytes.Contains(b, []byte("typed-")) {
			t.Errorf("%s has what was typed", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
