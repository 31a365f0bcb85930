package private

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/lockedfile"
)

// Replace writes a file of a private folder so that every reader sees the old or the
// new text completely, even after a crash. While it is written it has a name that
// begins with a dot and has the extension of the file.
func Replace(path string, text []byte) error { return replace(path, text, true) }

// ReplaceUnsynced is [Replace] for what may be lost with the power: then the file has the old
// text, or none.
func ReplaceUnsynced(path string, text []byte) error { return replace(path, text, false) }

func replace(path string, text []byte, sync bool) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".part-*"+filepath.Ext(path)) // mode 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	_, err = f.Write(text)
	if sync && err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil || !sync {
		return err
	}
	if folder, err := os.Open(filepath.Dir(path)); err == nil {
		folder.Sync() //nolint:errcheck // not every system supports this; the file itself is complete anyway
		folder.Close()
	}
	return nil
}

// Lock waits until no other goroutine or process has the lock file at path, and creates
// its folder. Both are private, so that no other user can hold the lock.
func Lock(path string) (unlock func(), err error) {
	if err := Folder(filepath.Dir(path)); err != nil {
		return nil, err
	}
	f, err := OpenFile(path, os.O_CREATE|os.O_RDWR)
	if err != nil {
		return nil, err
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	return lockedfile.MutexAt(path).Lock()
}
