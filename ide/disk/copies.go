package disk

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// openCopies opens the folder of [Options.Copies], and creates it.
func openCopies() (folder, error) {
	var path string
	var err error
	if path = ours.options().Copies; path != "" {
		err = os.MkdirAll(path, 0o700)
	} else {
		path, err = os.MkdirTemp("", "emendo-copies-")
	}
	if err != nil {
		return nil, err
	}
	dir, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	return rootFolder{dir}, nil
}

// copyEnd is the end of the names of copies.
const copyEnd = ".copy"

// aside is the copy of a file that is being written in place.
type aside struct {
	dir  folder
	name string
	file file // open, and so locked
}

// about is the first line of a copy. The old and the new bytes follow.
type about struct {
	Path     string      // of the file
	Mode     fs.FileMode // its permissions
	Old, New int64       // bytes
	Sum      []byte      // SHA-256 of all of them, so that a torn copy is noticed
}

// keepCopy stores what path holds and what is going to be written there.
func keepCopy(open func() (folder, error), path string, mode fs.FileMode, was, will []byte) (c aside, err error) {
	if c.dir, err = open(); err != nil {
		return c, err
	}
	sum := sha256.New()
	sum.Write(was)
	sum.Write(will)
	head, err := json.Marshal(about{path, mode.Perm(), int64(len(was)), int64(len(will)), sum.Sum(nil)})
	if err != nil {
		return c, errors.Join(err, c.dir.Close())
	}
	c.name = rand.Text() + copyEnd
	if c.file, err = c.dir.OpenFile(c.name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600); err != nil {
		return c, errors.Join(err, c.dir.Close())
	}
	if f, ok := c.file.(*os.File); ok {
		_, err = tryLock(f) // against another process that starts now
	}
	for _, data := range [][]byte{append(head, '\n'), was, will} {
		if err == nil {
			_, err = c.file.Write(data)
		}
	}
	if err == nil {
		err = c.file.Sync()
	}
	if err == nil {
		err = c.dir.Sync()
	}
	if err != nil {
		return c, errors.Join(err, c.remove())
	}
	return c, nil
}

// remove removes the copy.
func (c aside) remove() error {
	return errors.Join(c.file.Close(), c.dir.Remove(c.name), c.dir.Close())
}

// leave closes the copy, which stays.
func (c aside) leave() { errors.Join(c.file.Close(), c.dir.Close()) } //nolint:errcheck // it is on the disk already

// Recover completes what a crash has interrupted, in the folder of [Options.Copies]: a
// file that was being written in place gets its old text back. One that cannot be
// written, or that something else has changed since, stays as it is, and a copy of
// its old text is kept. It returns a sentence for the user about each file. Copies of
// processes that still write are left alone.
func Recover(ctx context.Context, dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil, nil
	}
	var root *os.Root
	if err == nil {
		root, err = os.OpenRoot(dir)
	}
	if err != nil {
		return nil, fmt.Errorf("look for interrupted writes: %w", err)
	}
	defer root.Close()
	var said []string
	var errs []error
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), copyEnd) {
			continue
		}
		note, err := recoverOne(ctx, root, e.Name())
		if note != "" {
			said = append(said, note)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("recover an interrupted write: %w", err))
		}
	}
	return said, errors.Join(errs...)
}

func recoverOne(ctx context.Context, dir *os.Root, name string) (note string, err error) {
	f, err := dir.OpenFile(name, os.O_RDWR|nonBlocking, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil // the write has ended
	}
	if err != nil {
		return "", err
	}
	defer f.Close()
	if free, err := tryLock(f); err != nil || !free {
		return "", err
	}
	data, err := io.ReadAll(f)
	if err != nil {
		return "", err
	}
	a, was, will, ok := parseCopy(data)
	if !ok {
		return "", dir.Remove(name) // it was never complete, so nothing was written
	}
	restored, why := a.restore(ctx, was, will)
	switch {
	case why == nil && restored:
		note = fmt.Sprintf("%s was being written when emendo ended; it has its old text again.", a.Path)
	case why != nil:
		kept := strings.TrimSuffix(name, copyEnd) + "-" + filepath.Base(a.Path)
		if err := dir.WriteFile(kept, was, 0o600); err != nil {
			return "", err
		}
		note = fmt.Sprintf("%s was being written when emendo ended, and %v. Its text before that is in %s.", a.Path, why, filepath.Join(dir.Name(), kept))
	}
	return note, dir.Remove(name)
}

func parseCopy(data []byte) (a about, was, will []byte, ok bool) {
	head, rest, found := strings.Cut(string(data), "\n")
	if !found || json.Unmarshal([]byte(head), &a) != nil || a.Old < 0 || a.New < 0 || int64(len(rest)) != a.Old+a.New {
		return a, nil, nil, false
	}
	if sum := sha256.Sum256([]byte(rest)); string(sum[:]) != string(a.Sum) {
		return a, nil, nil, false
	}
	return a, []byte(rest[:a.Old]), []byte(rest[a.Old:]), true
}

// restore writes the old bytes to the file again if it has a part of the new ones and
// nothing else. why is the reason why it cannot be done.
func (a about) restore(ctx context.Context, was, will []byte) (restored bool, why error) {
	tree, err := NewTree([]string{filepath.Dir(a.Path)})
	if err != nil {
		return false, fmt.Errorf("its folder cannot be opened (%w)", reason(err))
	}
	defer tree.Close()
	p, err := tree.At(a.Path)
	if err != nil {
		return false, err
	}
	now, _, err := tree.readBytes(ctx, p, int64(len(was)+len(will)))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, errors.New("it is gone")
	case errors.Is(err, ErrTooLarge):
		return false, errors.New("it has been changed since")
	case err != nil:
		return false, fmt.Errorf("it cannot be read (%w)", reason(err))
	case string(now) == string(was), string(now) == string(will):
		return false, nil
	case !mixed(now, was, will):
		return false, errors.New("it has been changed since")
	}
	dir, name, err := tree.reach(p, false)
	if err != nil {
		return false, fmt.Errorf("it cannot be opened (%w)", reason(err))
	}
	defer dir.Close()
	f, err := dir.OpenFile(name, os.O_RDWR|nonBlocking, 0)
	if err != nil {
		return false, fmt.Errorf("it cannot be written (%w)", reason(err))
	}
	err = rewrite(f, now, was)
	if err := errors.Join(err, f.Close()); err != nil {
		return false, fmt.Errorf("it cannot be written (%w)", reason(err))
	}
	return true, nil
}

// mixed reports whether now is left behind by an interrupted put: each byte is
// the old or the new one, in whatever order the disk took them, or a zero where
// nothing was yet.
func mixed(now, was, will []byte) bool {
	if len(now) < min(len(was), len(will)) || len(now) > max(len(was), len(will)) {
		return false
	}
	for i, b := range now {
		old, new := i < len(was) && was[i] == b, i < len(will) && will[i] == b
		if !old && !new && (i < len(was) || b != 0) {
			return false
		}
	}
	return true
}
