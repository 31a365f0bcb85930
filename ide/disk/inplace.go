package disk

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// errKeep reports that a new file would not be what the old one is to others: it would
// have another owner, other permissions or other attributes.
var errKeep = errors.New("a new file cannot have what the old one has")

// mustStay reports whether an error of replacing a file means that it can only be
// written where it is: its folder takes no new file or does not let go of the old
// one, its owner cannot be given to another file, or it is mounted by itself.
func mustStay(err error) bool {
	return errors.Is(err, errKeep) || errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EBUSY) || errors.Is(err, syscall.EROFS)
}

// overwrite writes data into the file itself, which keeps its owner, its place and
// all its names. Until it is complete, a copy of the old bytes is kept aside. After an
// error the file has its old bytes, or the error names the copy.
func (w writing) overwrite(ctx context.Context, old fs.FileInfo, data []byte) (err error) {
	f, err := w.dir.OpenFile(w.name, os.O_RDWR|nonBlocking, 0)
	if err != nil {
		return err
	}
	defer func() {
		if closed := f.Close(); err == nil {
			err = closed
		}
	}()
	if opened, err := f.Stat(); err != nil {
		return err
	} else if !os.SameFile(old, opened) {
		return ErrChanged
	}
	was, err := io.ReadAll(f)
	if err != nil {
		return err
	}
	if w.expect != nil && sha256.Sum256(was) != *w.expect {
		return ErrChanged
	}
	c, err := keepCopy(w.tree.copies, w.path, old.Mode(), was, data)
	if err != nil {
		return fmt.Errorf("it can only be written in place, and a copy of it cannot be kept meanwhile: %w", reason(err))
	}
	if err = context.Cause(ctx); err == nil {
		err = still(w.dir, w.name, old, w.expect)
	}
	if err != nil {
		return errors.Join(err, c.remove())
	}
	if err = rewrite(f, was, data); err != nil {
		// What is there now is a mix, and as long as the longer of the two.
		if back := rewrite(f, longer(was, data), was); back != nil {
			c.leave()
			return fmt.Errorf("%w; a part of it is written, and the old text is restored from a copy when emendo starts again", reason(err))
		}
		return errors.Join(reason(err), c.remove())
	}
	if now, err := f.Stat(); err == nil && now.Mode() != old.Mode() {
		f.Chmod(old.Mode()) //nolint:errcheck // writing takes away setuid and setgid, and only the owner can give them back
	}
	return c.remove()
}

func longer(a, b []byte) []byte {
	if len(a) > len(b) {
		return a
	}
	return b
}

// rewrite turns the bytes of a file from was to will. It first makes room for what is
// added, and cuts off what is too much last.
func rewrite(f file, was, will []byte) error {
	both := min(len(was), len(will))
	if len(will) > both {
		if _, err := f.WriteAt(will[both:], int64(both)); err != nil {
			return err
		}
	}
	if both > 0 {
		if _, err := f.WriteAt(will[:both], 0); err != nil {
			return err
		}
	}
	if len(was) > len(will) {
		if err := f.Truncate(int64(len(will))); err != nil {
			return err
		}
	}
	return f.Sync()
}
