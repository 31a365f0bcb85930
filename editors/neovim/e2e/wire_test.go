//go:build editors

package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/textproto"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"testing"
)

// The environment of the tap: the program that it wraps, and its log file.
const (
	tapProgram = "EMENDO_TAP_PROGRAM"
	tapFile    = "EMENDO_TAP_FILE"
)

// A said is one message on the wire.
type said struct {
	Server bool // sent by the server
	PID    int  // of the server
	Message
}

// Message is a JSON-RPC message of either side.
type Message struct {
	ID     json.RawMessage `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  json.RawMessage `json:"error,omitempty"`
}

// tap relays everything between the editor and the language server and logs it. For
// other commands it only runs the program.
func tap(args []string) int {
	server := exec.Command(os.Getenv(tapProgram), args...)
	server.Stdin, server.Stdout, server.Stderr = os.Stdin, os.Stdout, os.Stderr
	if len(args) == 0 || args[0] != "lsp" {
		return run(server, server.Run)
	}
	server.Stdin, server.Stdout = nil, nil
	in, err := server.StdinPipe()
	out, err2 := server.StdoutPipe()
	log, err3 := os.OpenFile(os.Getenv(tapFile), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil || err2 != nil || err3 != nil {
		fmt.Fprintln(os.Stderr, "the tap:", err, err2, err3)
		return 1
	}
	return run(server, func() error {
		if err := server.Start(); err != nil {
			return err
		}
		l := &wireLog{pid: server.Process.Pid, w: log}
		go func() {
			l.relay(in, os.Stdin, false)
			in.Close()
		}()
		l.relay(os.Stdout, out, true)
		return server.Wait()
	})
}

// run calls do and returns the exit status of the program.
func run(program *exec.Cmd, do func() error) int {
	err := do()
	if program.ProcessState == nil {
		fmt.Fprintln(os.Stderr, "the tap:", err)
		return 1
	}
	return max(program.ProcessState.ExitCode(), 0)
}

type wireLog struct {
	pid int
	mu  sync.Mutex
	w   io.Writer
}

// relay passes messages on unchanged until there are no more.
func (l *wireLog) relay(to io.Writer, from io.Reader, server bool) {
	r := bufio.NewReaderSize(from, 1<<20)
	for {
		header, err := textproto.NewReader(r).ReadMIMEHeader()
		if err != nil {
			return
		}
		n, err := strconv.Atoi(header.Get("Content-Length"))
		if err != nil {
			fmt.Fprintln(os.Stderr, "the tap: a frame without its length")
			return
		}
		body := make([]byte, n)
		if _, err := io.ReadFull(r, body); err != nil {
			return
		}
		l.note(server, body)
		if _, err := fmt.Fprintf(to, "Content-Length: %d\r\n\r\n%s", n, body); err != nil {
			return
		}
	}
}

func (l *wireLog) note(server bool, body []byte) {
	s := said{Server: server, PID: l.pid}
	if err := json.Unmarshal(body, &s.Message); err != nil {
		s.Message = Message{Method: "not JSON", Params: json.RawMessage(strconv.Quote(string(body)))}
	}
	line, err := json.Marshal(s)
	if err != nil {
		fmt.Fprintln(os.Stderr, "the tap:", err)
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.w.Write(append(line, '\n')) // one write a line, so lines of two servers do not mix
}

// wire reads the messages logged so far.
func (w *world) wire() (all []said) {
	w.t.Helper()
	text, err := os.ReadFile(w.tapped)
	if err != nil {
		w.t.Fatal(err)
	}
	for line := range bytes.Lines(text) {
		var s said
		if !bytes.HasSuffix(line, []byte("\n")) {
			break // it is being written
		}
		if err := json.Unmarshal(line, &s); err != nil {
			w.t.Fatalf("%v in %s", err, line)
		}
		all = append(all, s)
	}
	return all
}

// of returns the messages of a method.
func of(all []said, method string) (some []said) {
	for _, s := range all {
		if s.Method == method {
			some = append(some, s)
		}
	}
	return some
}

// params decodes the parameters of a message.
func params[T any](t *testing.T, s said) (v T) {
	t.Helper()
	if err := json.Unmarshal(s.Params, &v); err != nil {
		t.Fatalf("the parameters of %s: %v", s.Method, err)
	}
	return v
}
