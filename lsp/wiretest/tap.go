package wiretest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
)

// A Tap starts a program in the place of emendo, and logs what goes over the wire of its
// language server.
type Tap struct {
	Program string // that it starts
	File    string // to which it appends a line for each message
}

// Run starts the program with the arguments, and returns its exit status. For another
// command than lsp it only starts the program.
func (t Tap) Run(args []string) int {
	server := exec.Command(t.Program, args...)
	server.Stdin, server.Stdout, server.Stderr = os.Stdin, os.Stdout, os.Stderr
	if len(args) == 0 || args[0] != "lsp" {
		return status(server, server.Run())
	}
	server.Stdin, server.Stdout = nil, nil
	in, err := server.StdinPipe()
	out, err2 := server.StdoutPipe()
	log, err3 := os.OpenFile(t.File, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil || err2 != nil || err3 != nil {
		fmt.Fprintln(os.Stderr, "the tap:", err, err2, err3)
		return 1
	}
	defer log.Close()
	if err := server.Start(); err != nil {
		return status(server, err)
	}
	l := &wireLog{pid: server.Process.Pid, w: log}
	go func() { // ends with the process
		_, _ = io.Copy(in, io.TeeReader(os.Stdin, l.side(false)))
		in.Close()
	}()
	if _, err := io.Copy(os.Stdout, io.TeeReader(out, l.side(true))); err != nil {
		fmt.Fprintln(os.Stderr, "the tap:", err)
	}
	return status(server, server.Wait())
}

// status returns the exit status of a program that has run.
func status(program *exec.Cmd, err error) int {
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

// side returns a writer that logs the messages of one side, before they are passed on.
func (l *wireLog) side(server bool) *Frames {
	return &Frames{Each: func(body []byte) {
		var m Message
		if err := json.Unmarshal(body, &m); err != nil {
			m = Message{Method: "not JSON: " + string(body)}
		}
		m.Server, m.PID = server, l.pid
		line, err := json.Marshal(m)
		if err != nil {
			fmt.Fprintln(os.Stderr, "the tap:", err)
			return
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		_, _ = l.w.Write(append(line, '\n')) // one write a line, so that those of two servers do not mix
	}}
}

// ReadLog returns the messages that a tap has logged so far; none if there is no log.
func ReadLog(file string) (all []Message, err error) {
	text, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	for line := range bytes.Lines(text) {
		var m Message
		if !bytes.HasSuffix(line, []byte("\n")) {
			break // it is being written
		}
		if err := json.Unmarshal(line, &m); err != nil {
			return all, fmt.Errorf("%w in %s", err, line)
		}
		all = append(all, m)
	}
	return all, nil
}

// Check returns what the servers of a log did wrong, each beside its own client.
func Check(log []Message) (problems []string) {
	var order []int
	checkers := map[int]*Checker{}
	for _, m := range log {
		c := checkers[m.PID]
		if c == nil {
			c = &Checker{}
			checkers[m.PID] = c
			order = append(order, m.PID)
		}
		c.Read(m)
	}
	for _, pid := range order {
		problems = append(problems, checkers[pid].Problems()...)
	}
	return problems
}
