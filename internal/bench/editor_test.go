package bench

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// patience is how long a server may take for anything, even on a busy machine. One that
// takes longer does not answer at all.
const patience = 3 * time.Minute

type object map[string]any

// editor drives a language server from outside.
type editor struct {
	tb      testing.TB
	cmd     *exec.Cmd
	stderr  bytes.Buffer
	in      io.WriteCloser
	heard   chan struct{}              // closed at the end of the server's output
	updates func(body []byte)          // sees each session update; set before the prompt
	applied func(json.RawMessage) bool // answers workspace/applyEdit

	mu      sync.Mutex
	w       *bufio.Writer
	nextID  int
	waiting map[int]chan answered
}

type answered struct {
	result json.RawMessage
	err    error
	at     time.Time // when it arrived, before it was decoded
}

// start starts the server without sending initialize.
func start(tb testing.TB, p program) *editor {
	tb.Helper()
	e := &editor{tb: tb, heard: make(chan struct{}), waiting: map[int]chan answered{}, updates: func([]byte) {}}
	e.cmd = exec.Command(p.path, p.args...)
	e.cmd.Dir, e.cmd.Env, e.cmd.Stderr = p.work, p.env, &e.stderr
	e.cmd.WaitDelay = time.Second // for programs that it has left behind
	in, err := e.cmd.StdinPipe()
	if err != nil {
		tb.Fatal(err)
	}
	out, err := e.cmd.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	e.in, e.w = in, bufio.NewWriterSize(in, 64<<10)
	if err := e.cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	go e.listen(bufio.NewReaderSize(out, 64<<10))
	tb.Cleanup(e.stop)
	return e
}

// stop shuts the server down by closing its input.
func (e *editor) stop() {
	if e.cmd.ProcessState != nil {
		return
	}
	e.in.Close()
	select {
	case <-e.heard:
		_ = e.cmd.Wait() // the status does not matter
	case <-time.After(patience):
		e.tb.Errorf("the server has not ended %v after the end of its input\n%s", patience, e.quit())
	}
}

// quit ends the server where it stands and returns what it wrote to standard error, with
// its goroutines at the end.
func (e *editor) quit() string {
	if err := e.cmd.Process.Signal(syscall.SIGQUIT); err != nil {
		_ = e.cmd.Process.Kill() // Windows has no such signal; an ended process needs none
	}
	_ = e.cmd.Wait() // the status is that of the signal
	<-e.heard
	return e.stderr.String()
}

// open starts a server and initializes it as a client with emendo's plugin
// does, with the program's folder as its trusted workspace.
func open(tb testing.TB, p program) *editor {
	tb.Helper()
	e := start(tb, p)
	e.call("initialize", initializeParams(p), nil)
	e.notify("initialized", object{})
	return e
}

func initializeParams(p program) object {
	return object{
		"processId": nil,
		"capabilities": object{
			"experimental": object{"emendo": object{"version": 1, "session": true, "permission": true, "changes": true}},
			"workspace":    object{"applyEdit": true, "workspaceEdit": object{"documentChanges": true}},
			"textDocument": object{"codeAction": object{"codeActionLiteralSupport": object{}}, "codeLens": object{}},
			"general":      object{"positionEncodings": []string{"utf-8"}},
		},
		"workspaceFolders":      []object{{"uri": "file://" + p.work, "name": "work"}},
		"initializationOptions": object{"trust": cmp.Or(p.trust, "trusted")},
	}
}

// listen reads the server's messages until it closes the connection.
func (e *editor) listen(r *bufio.Reader) {
	defer close(e.heard)
	defer e.hangUp()
	var body []byte
	for {
		n := -1
		for {
			line, err := r.ReadSlice('\n')
			if err != nil {
				return
			}
			if line = bytes.TrimSpace(line); len(line) == 0 {
				break
			}
			if v, ok := bytes.CutPrefix(line, []byte("Content-Length: ")); ok {
				n, _ = strconv.Atoi(string(v))
			}
		}
		if n < 0 {
			return
		}
		if cap(body) < n {
			body = make([]byte, n)
		}
		body = body[:n]
		if _, err := io.ReadFull(r, body); err != nil {
			return
		}
		e.receive(body)
	}
}

func (e *editor) receive(body []byte) {
	at := time.Now()
	if bytes.Contains(body[:min(len(body), 80)], []byte(`"emendo/session/update"`)) {
		e.updates(body)
		return
	}
	var m struct {
		ID     json.RawMessage
		Method string
		Params json.RawMessage
		Result json.RawMessage
		Error  *struct{ Message string }
	}
	if err := json.Unmarshal(body, &m); err != nil {
		e.tb.Errorf("the server sent what is no JSON: %.200s", body)
		return
	}
	switch {
	case m.Method == "":
		id, _ := strconv.Atoi(string(m.ID))
		a := answered{result: m.Result, at: at}
		if m.Error != nil {
			a.err = fmt.Errorf("the server answers: %s", m.Error.Message)
		}
		e.mu.Lock()
		c := e.waiting[id]
		delete(e.waiting, id)
		e.mu.Unlock()
		if c != nil {
			c <- a
		}
	case len(m.ID) > 0:
		result := object{}
		if e.applied != nil && m.Method == "workspace/applyEdit" {
			result["applied"] = e.applied(m.Params)
		}
		e.send(object{"jsonrpc": "2.0", "id": m.ID, "result": result})
	}
}

// hangUp answers all waiting calls.
func (e *editor) hangUp() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, c := range e.waiting {
		c <- answered{err: io.ErrUnexpectedEOF}
	}
	e.waiting = map[int]chan answered{}
}

func (e *editor) send(m object) {
	b, err := json.Marshal(m)
	if err != nil {
		e.tb.Error(err)
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	stuck := time.AfterFunc(patience, func() { _ = e.cmd.Process.Signal(syscall.SIGQUIT) }) // the next call reports it
	defer stuck.Stop()
	fmt.Fprintf(e.w, "Content-Length: %d\r\n\r\n", len(b))
	_, _ = e.w.Write(b)
	_ = e.w.Flush() // if the server is gone, the request fails
}

func (e *editor) notify(method string, params any) {
	e.send(object{"jsonrpc": "2.0", "method": method, "params": params})
}

// begin sends a request and returns a channel for its answer.
func (e *editor) begin(method string, params any) <-chan answered {
	c := make(chan answered, 1)
	e.mu.Lock()
	e.nextID++
	id := e.nextID
	e.waiting[id] = c
	e.mu.Unlock()
	e.send(object{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
	return c
}

// call sends a request and waits for its answer.
func (e *editor) call(method string, params, result any) {
	e.tb.Helper()
	a := e.wait(e.begin(method, params))
	if a.err == nil && result != nil {
		a.err = json.Unmarshal(a.result, result)
	}
	if a.err != nil {
		e.tb.Fatalf("%s: %v\n%s", method, a.err, e.quit())
	}
}

// wait waits for the answer to a request.
func (e *editor) wait(c <-chan answered) answered {
	select {
	case a := <-c:
		return a
	case <-time.After(patience):
		return answered{err: fmt.Errorf("no answer within %v", patience)}
	}
}

// session starts a session that applies the model's edits at once.
func (e *editor) session() string {
	e.tb.Helper()
	var r struct{ Session struct{ SessionID string } }
	e.call("emendo/session/new", object{}, &r)
	return r.Session.SessionID
}

// prompt runs a turn to its end.
func (e *editor) prompt(session, text string) {
	e.tb.Helper()
	e.call("emendo/session/prompt", promptParams(session, text), nil)
}

func promptParams(session, text string) object {
	return object{"sessionId": session, "prompt": []object{{"type": "text", "text": text}}}
}

func (e *editor) didOpen(path, text string) {
	e.notify("textDocument/didOpen", object{"textDocument": object{"uri": "file://" + path, "languageId": "go", "version": 1, "text": text}})
}

// didChange replaces characters of a line.
func (e *editor) didChange(path string, version, line, from, to int, text string) {
	e.notify("textDocument/didChange", object{
		"textDocument":   object{"uri": "file://" + path, "version": version},
		"contentChanges": []object{{"range": lineRange(line, from, line, to), "text": text}},
	})
}

func lineRange(line, character, toLine, toCharacter int) object {
	return object{"start": object{"line": line, "character": character}, "end": object{"line": toLine, "character": toCharacter}}
}

// code returns n different lines that read like a program.
func code(lines int) string {
	var b strings.Builder
	for i := range lines {
		fmt.Fprintf(&b, "\tvalue%d := compute(%d, \"name\", other)\n", i, i*7)
	}
	return b.String()
}
