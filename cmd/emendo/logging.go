package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	stdlog "log"
	"log/slog"
	"os"
	"path/filepath"
	"sync"

	"github.com/emendo-dev/emendo/internal/private"
	"github.com/emendo-dev/emendo/internal/redact"
)

// sink is a destination for log records from a level on.
type sink struct {
	w     io.Writer
	level slog.Level
}

// logger returns a logger for the sinks, which also get what libraries write through
// package log. Secrets are redacted.
func (p process) logger(sinks ...sink) *slog.Logger {
	var hs []slog.Handler
	for _, s := range sinks {
		hs = append(hs, slog.NewTextHandler(redacted{s.w, p.secrets}, &slog.HandlerOptions{Level: s.level}))
	}
	l := slog.New(slog.NewMultiHandler(hs...))
	stdlog.SetOutput(slog.NewLogLogger(l.Handler(), slog.LevelDebug).Writer())
	stdlog.SetFlags(0)
	return l
}

// redacted is a writer of lines that redacts secrets.
type redacted struct {
	w       io.Writer
	secrets *redact.Redactor
}

// Write implements io.Writer for whole lines.
func (r redacted) Write(line []byte) (int, error) {
	if _, err := io.WriteString(r.w, r.secrets.Text(string(line))); err != nil {
		return 0, err
	}
	return len(line), nil
}

// maxLog is the maximum size of a log file, in bytes. One older file of that size is
// kept next to it.
const maxLog = 5 << 20

// logFile is a private log that several processes may append to. The first line
// opens it.
type logFile struct {
	path string

	mu     sync.Mutex
	f      *os.File // nil before the first line, and when it cannot be opened
	size   int64
	failed error // of opening; it is not tried again
}

func newLogFile(path string) *logFile { return &logFile{path: path} }

// Write implements io.Writer for whole lines.
func (l *logFile) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.failed != nil {
		return 0, l.failed
	}
	if l.f != nil && l.size+int64(len(b)) > maxLog {
		l.failed = l.rotate()
	}
	if l.f == nil && l.failed == nil {
		l.failed = l.open()
	}
	if l.failed != nil {
		return 0, l.failed
	}
	n, err := l.f.Write(b)
	l.size += int64(n)
	return n, err
}

func (l *logFile) open() error {
	if err := private.Folder(filepath.Dir(l.path)); err != nil {
		return fmt.Errorf("create the folder of logs: %w", err)
	}
	f, err := private.OpenFile(l.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY)
	if err != nil {
		return fmt.Errorf("open the log: %w", err)
	}
	fi, err := f.Stat()
	if err != nil {
		return errors.Join(fmt.Errorf("open the log: %w", err), f.Close())
	}
	l.f, l.size = f, fi.Size()
	return nil
}

// rotate closes the file and renames it, unless another process has done so.
func (l *logFile) rotate() error {
	ours, err := l.f.Stat()
	if err != nil {
		return err
	}
	err = l.f.Close()
	l.f = nil
	if err != nil {
		return err
	}
	now, err := os.Stat(l.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case os.SameFile(ours, now):
		return os.Rename(l.path, l.path+".1")
	}
	return nil
}

// Close closes the file.
func (l *logFile) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.f == nil {
		return nil
	}
	f := l.f
	l.f = nil
	return f.Close()
}
