package shell

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/emendo-dev/emendo/tools"
)

// maxLog bounds the file that keeps a job's output, in bytes. What comes then
// goes into a second one; the two take turns.
const maxLog = 8 << 20

// A logFile keeps the rendered output of a job for this user alone. Nil keeps
// nothing. What cannot be written is not kept: the job goes on.
type logFile struct {
	discreet func(string) string // leaves out what no file may hold; may be nil

	mu   sync.Mutex
	path string
	file *os.File // nil once something failed or the job is over
	size int
	held []byte // the first part of a line
}

// maxHeld is how much of a line is held back at most, in bytes, so that it is
// looked at as a whole; of a longer one half of it stays.
const maxHeld = 64 << 10

// newLogFile makes the file of a process in the session's private folder, and
// none without one.
func newLogFile(env tools.Env, pid int) *logFile {
	if env.Outputs == nil {
		return nil
	}
	for n := 1; n < 100; n++ {
		name := fmt.Sprintf("background-%d.log", pid)
		if n > 1 { // process ids come again
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
	l.held = append(l.held, text...)
	if bytes.HasSuffix(text, []byte("\n")) {
		l.write(len(l.held))
	} else if len(l.held) >= maxHeld {
		l.write(l.between())
	}
}

// between is where what is held back may be cut: not within what is left out,
// and so that what is not whole yet stays held back.
func (l *logFile) between() int {
	if l.discreet == nil {
		return len(l.held)
	}
	text := string(l.held)
	whole := l.discreet(text)
	for at := len(text) / 2; at > 0; at -= maxHeld / 32 {
		if l.discreet(text[:at])+l.discreet(text[at:]) == whole {
			return at
		}
	}
	return len(text)
}

// write writes the first n bytes of what was held back.
func (l *logFile) write(n int) {
	text := l.held[:n]
	if l.discreet != nil {
		text = []byte(l.discreet(string(text)))
	}
	defer func() { l.held = append(l.held[:0], l.held[n:]...) }()
	if l.file != nil && l.size+len(text) > maxLog {
		l.turn()
	}
	if l.file == nil {
		return
	}
	written, err := l.file.Write(text)
	l.size += written
	if err != nil {
		l.drop()
	}
}

// turn puts the full file aside, in the place of the one before, and begins
// anew.
func (l *logFile) turn() {
	l.drop()
	if err := os.Rename(l.path, l.path+".before"); err != nil {
		return
	}
	f, err := os.OpenFile(l.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		l.file, l.size = f, 0
	}
}

func (l *logFile) drop() {
	_ = l.file.Close() // what was lost with it is no more than what a full disk loses
	l.file = nil
}

func (l *logFile) close() {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.write(len(l.held))
	if l.file != nil {
		l.drop()
	}
}
