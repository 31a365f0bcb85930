package rewind

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/internal/secret"
)

// look is a file as it was seen.
type look struct {
	size    int64 // negative: unknown
	time    time.Time
	at      time.Time // when its bytes were read
	mode    fs.FileMode
	regular bool
	state   State  // when gap is empty
	ends    ends   // its line endings
	gap     string // why its bytes are not stored
	git     bool   // it is from git, which knows only whether a file is executable
	loose   bool   // and git ignores its line endings
}

// ends are the kinds of line endings in a file.
type ends struct{ lf, crlf bool }

func endsOf(data []byte) ends {
	n, crlf := bytes.Count(data, []byte("\n")), bytes.Count(data, []byte("\r\n"))
	return ends{lf: n > crlf, crlf: crlf > 0}
}

func (l look) equals(o look) bool {
	return l.gap == "" && o.gap == "" && l.state == o.state || l.gap != "" && l.size == o.size && l.time.Equal(o.time)
}

// there reports whether anything was there.
func (l look) there() bool { return l.gap != "" || l.state.Hash != "" }

// holds reports whether a file that now looks like that may still hold all it had.
func (l look) holds(now look) bool {
	return now.regular && (l.regular || l.size < 0) && now.size >= l.size
}

// runnable are the permission bits that make a file executable.
const runnable = 0o111

// beside fills in the permissions that a file from git had on disk, as far as its
// present ones tell. Git makes its files writable.
func (l look) beside(now look) look {
	m := now.state.Mode
	if !l.git || m == 0 {
		return l
	}
	m |= 0o200
	if m&runnable == 0 {
		m |= m & 0o444 >> 2 & l.state.Mode
	}
	l.state.Mode = m &^ (runnable &^ l.state.Mode)
	return l
}

// measure looks at a file without reading it. size is the sum of what is copied. It reports
// whether the file can be copied; otherwise the look has a gap, or the file does not exist.
func measure(tree *disk.Tree, p disk.Path, size *int64) (l look, copied bool) {
	fi, err := tree.Stat(p)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, disk.ErrNotDir) {
		return look{}, false
	}
	if err != nil {
		return unkept(p.Abs), false // it becomes a gap
	}
	l = look{size: fi.Size(), time: fi.ModTime(), mode: fi.Mode().Perm(), regular: fi.Mode().IsRegular()}
	switch {
	case !fi.Mode().IsRegular():
		l.gap = gapKind
	case secret.Named(p.Rel):
		l.gap = gapSecret
	case l.size > MaxFile:
		l.gap = gapLarge
	case *size+l.size > MaxAll:
		l.gap = gapFull
	}
	if l.gap == "" {
		*size += l.size
	}
	return l, l.gap == ""
}

// look stores a file's bytes, unless they were stored at an earlier look of the session and
// the file has not changed since.
func (w *Watch) look(ctx context.Context, p disk.Path, size *int64) (look, error) {
	l, copied := measure(w.tree, p, size)
	if !copied {
		return l, nil
	}
	if k, ok := w.journal.seen.unchanged(p.Abs, l); ok && w.journal.has(k.state.Hash, k.size) {
		l.state, l.ends = State{Hash: k.state.Hash, Mode: l.mode}, k.ends
		return l, nil
	}
	l.at = time.Now()
	data, err := w.tree.ReadBytes(ctx, p, MaxFile)
	if ctx.Err() != nil {
		return l, context.Cause(ctx)
	}
	if err != nil {
		l.gap = gapKind
		return l, nil //nolint:nilerr // it becomes a gap
	}
	hash, err := w.journal.Put(data)
	if err != nil {
		return l, err
	}
	l.state, l.ends = State{Hash: hash, Mode: l.mode}, endsOf(data)
	w.journal.seen.add(p.Abs, l)
	return l, nil
}

// A seen is the last look at each file that was copied, by its absolute path. The zero value
// has none.
type seen struct {
	mu   sync.Mutex
	last map[string]look
}

// unchanged returns the last look at a file, and false if the file may have changed since: one
// that had just been written may have been written again within the same tick of the disk's
// clock.
func (s *seen) unchanged(name string, now look) (look, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	k, ok := s.last[name]
	return k, ok && k.size == now.size && k.time.Equal(now.time) && k.at.Sub(k.time) > clockSlack
}

func (s *seen) add(name string, l look) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last == nil || len(s.last) > 4*maxNames {
		s.last = map[string]look{}
	}
	s.last[name] = l
}

// unkept looks at what is not a file of the workspace, such as a link, to notice
// that it changes.
func unkept(name string) look {
	l := look{gap: gapKind}
	if fi, err := os.Lstat(name); err == nil {
		l.size, l.time = fi.Size(), fi.ModTime()
	}
	return l
}
