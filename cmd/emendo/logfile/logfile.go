// Package logfile keeps a log of bounded size that only the user can read.
package logfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/emendo-dev/emendo/internal/private"
)

// maxSize is the maximum size of a log file, in bytes. One older file of that size is
// kept next to it.
const maxSize = 5 << 20

// A File is a private log that several processes may append to. The first line
// opens it.
type File struct {
	path string

	mu     sync.Mutex
	f      *os.File // nil before the first line, and when it cannot be opened
	size   int64
	failed error // of opening; it is not tried again
}

// New returns the log at a path, in a folder that is made private.
func New(path string) *File { return &File{path: path} }

// Path returns the path of the log.
func (l *File) Path() string { return l.path }

// Write implements io.Writer for whole lines.
func (l *File) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.failed != nil {
		return 0, l.failed
	}
	if l.f != nil && l.size+int64(len(b)) > maxSize {
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

func (l *File) open() error {
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
func (l *File) rotate() error {
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
func (l *File) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.f == nil {
		return nil
	}
	f := l.f
	l.f = nil
	return f.Close()
}
