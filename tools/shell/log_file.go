package shell

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/emendo-dev/emendo/tools"
)

// maxLog limits the file that keeps a job's output, in bytes. When it is full,
// it replaces the second file and a new one is started.
const maxLog = 8 << 20

// A logFile keeps the rendered output of a job, readable by this user only. A
// nil logFile keeps nothing. If it cannot be written, output is dropped and the
// job continues.
type logFile struct {
	discreet func(string) string // removes secrets; may be nil

	mu      sync.Mutex
	path    string
	file    *os.File // nil after an error or the end of the job
	size    int
	pending []byte // the unfinished line
}

// maxPending limits how much of an unfinished line is kept back, in bytes, so that
// secrets in it are recognised. Half of a longer line stays pending.
const maxPending = 64 << 10

// newLogFile creates the log of a process in the session's private directory;
// nil if there is none.
func newLogFile(env tools.Env, pid int) *logFile {
	if env.Outputs == nil {
		return nil
	}
	for n := 1; n < 100; n++ {
		name := fmt.Sprintf("background-%d.log", pid)
		if n > 1 { // process IDs are reused
			name = fmt.Sprintf("background-%d-%d.log", pid, n)
		}
		path := filepath.Join(env.Outputs.Folders()[0], name)
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err == nil {
			return &logFile{discreet: env.Redact, path: path, file: f}
		}
		if !os.IsExist(err) {
			return nil
		}
	}
	return nil
}

func (l *logFile) name() string {
	if l == nil {
		return ""
	}
	return l.path
}

// add appends a text.
func (l *logFile) add(text []byte) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pending = append(l.pending, text...)
	if bytes.HasSuffix(text, []byte("\n")) {
		l.write(len(l.pending))
	} else if len(l.pending) >= maxPending {
		l.write(l.between())
	}
}

// between returns where the pending text may be cut: not inside a secret, and so
// that a possibly unfinished one stays pending.
func (l *logFile) between() int {
	if l.discreet == nil {
		return len(l.pending)
	}
	text := string(l.pending)
	whole := l.discreet(text)
	for at := len(text) / 2; at > 0; at -= maxPending / 32 {
		if l.discreet(text[:at])+l.discreet(text[at:]) == whole {
			return at
		}
	}
	return len(text)
}

// write writes the first n pending bytes.
func (l *logFile) write(n int) {
	text := l.pending[:n]
	if l.discreet != nil {
		text = []byte(l.discreet(string(text)))
	}
	defer func() { l.pending = append(l.pending[:0], l.pending[n:]...) }()
	if l.file != nil && l.size+len(text) > maxLog {
		l.rotate()
	}
	if l.file == nil {
		return
	}
	written, err := l.file.Write(text)
	l.size += written
	if err != nil {
		l.closeFile()
	}
}

// rotate moves the full file over the second one and starts a new file.
func (l *logFile) rotate() {
	l.closeFile()
	if err := os.Rename(l.path, l.path+".before"); err != nil {
		return
	}
	f, err := os.OpenFile(l.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		l.file, l.size = f, 0
	}
}

func (l *logFile) closeFile() {
	_ = l.file.Close() // no more is lost than by a full disk
	l.file = nil
}

func (l *logFile) close() {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.write(len(l.pending))
	if l.file != nil {
		l.closeFile()
	}
}
