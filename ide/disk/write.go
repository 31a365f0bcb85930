package disk

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"syscall"
)

// WriteOptions say how a file is written. The zero value writes unconditionally.
type WriteOptions struct {
	Expect *Hash       // write only if the file has this hash, else ErrChanged; the zero Hash: only if there is no file
	Mode   fs.FileMode // of a new file, exactly; zero is 0666 less the umask
}

// Write replaces a file atomically, or creates it and its folders. At any moment,
// and after any failure, the path has all of the old bytes or all of the new ones.
// Mode, owner and extended attributes are preserved.
//
// A file that has other hard links, or whose owner or place cannot be kept by a new
// file, is written in place: then a program that reads it meanwhile may see a mix, and
// after a crash [Recover] restores the old bytes. A read-only file is not written.
func (t *Tree) Write(ctx context.Context, p Path, data []byte, o WriteOptions) error {
	dir, name, err := t.reach(p, true)
	if err == nil {
		defer dir.Close()
		err = writing{t, dir, name, p.Abs, o.Expect}.replace(ctx, data, o.Mode)
	}
	if err != nil {
		return change("write "+p.Abs, err)
	}
	noteMade(p.Abs)
	if err := dir.Sync(); err != nil {
		return fmt.Errorf("write %s: the file was replaced, but syncing its folder failed: %w%s", p.Abs, reason(err), advice(err))
	}
	return nil
}

// Remove deletes a regular file. With expect it does so only if the file has that
// hash.
func (t *Tree) Remove(ctx context.Context, p Path, expect *Hash) error {
	return change("remove "+p.Abs, t.remove(ctx, p, expect))
}

// change returns the error of a change, with its reason and what to do about it.
func change(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w%s", what, reason(err), advice(err))
}

// find opens the folder that a regular file is in.
func (t *Tree) find(p Path) (dir folder, name string, fi fs.FileInfo, err error) {
	if dir, name, err = t.reach(p, false); err != nil {
		return nil, "", nil, err
	}
	if fi, err = dir.Lstat(name); err == nil {
		err = regular(fi)
	}
	if err != nil {
		dir.Close()
	}
	return dir, name, fi, err
}

func (t *Tree) remove(ctx context.Context, p Path, expect *Hash) error {
	dir, name, _, err := t.find(p)
	if err != nil {
		return err
	}
	defer dir.Close()
	if err := unchanged(ctx, dir, name, expect); err != nil {
		return err
	}
	if err := dir.Remove(name); err != nil {
		return ofFolder(err)
	}
	return dir.Sync()
}

// ofFolder explains an error of changing the entries of a folder.
func ofFolder(err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("%w (%w)", errFolder, reason(err))
	}
	return err
}

// Chmod changes the permissions of a regular file.
func (t *Tree) Chmod(p Path, mode fs.FileMode) error {
	return change("change the permissions of "+p.Abs, t.chmod(p, mode.Perm()))
}

func (t *Tree) chmod(p Path, mode fs.FileMode) error {
	dir, name, named, err := t.find(p)
	if err != nil {
		return err
	}
	defer dir.Close()
	f, err := dir.OpenFile(name, os.O_RDONLY|nonBlocking, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	if opened, err := f.Stat(); err != nil {
		return err
	} else if !os.SameFile(named, opened) {
		return ErrChanged
	}
	return f.Chmod(mode)
}

// Rename moves a regular file inside one folder of the workspace, and creates the
// folders of the new path. It returns [fs.ErrExist] if the new path exists.
func (t *Tree) Rename(ctx context.Context, from, to Path) error {
	return change("rename "+from.Abs+" to "+to.Abs, t.rename(ctx, from, to))
}

func (t *Tree) rename(ctx context.Context, from, to Path) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if from.Root != to.Root {
		return fmt.Errorf("%w: a file cannot move to another workspace folder; write a new one and remove the old", errors.ErrUnsupported)
	}
	old, oldName, fi, err := t.find(from)
	if err != nil {
		return err
	}
	defer old.Close()
	dir, name, err := t.reach(to, true)
	if err != nil {
		return err
	}
	defer dir.Close()
	// It may be the same file: a rename that only changes case, on a disk that
	// ignores case.
	if there, err := dir.Lstat(name); err == nil && !(os.SameFile(fi, there) && ownerOf(fi).links == 1) {
		return fs.ErrExist
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	source := old
	if path.Dir(from.Rel) == path.Dir(to.Rel) {
		source = dir // every system can rename within a folder
	}
	if err := source.Rename(oldName, dir, name); err != nil {
		return ofFolder(err)
	}
	return dir.Sync()
}

// writing is the write of one file.
type writing struct {
	tree   *Tree
	dir    folder
	name   string // in dir
	path   string // absolute
	expect *Hash
}

// replace writes the bytes to the entry, or leaves everything as it was.
func (w writing) replace(ctx context.Context, data []byte, mode fs.FileMode) error {
	old, err := w.dir.Lstat(w.name)
	if errors.Is(err, fs.ErrNotExist) {
		old, err = nil, nil
	}
	if err != nil {
		return err
	}
	if err := writable(w.dir, w.name, old); err != nil {
		return err
	}
	if err := unchanged(ctx, w.dir, w.name, w.expect); err != nil {
		return err
	}
	if old != nil && ownerOf(old).links > 1 {
		return w.overwrite(ctx, old, data)
	}
	temp, err := w.writeTemp(data, old, mode)
	if err == nil {
		if err = context.Cause(ctx); err == nil {
			err = still(w.dir, w.name, old, w.expect)
		}
		if err == nil {
			err = w.dir.Rename(temp, w.dir, w.name)
		}
	}
	if err != nil && temp != "" {
		err = errors.Join(err, w.dir.Remove(temp))
	}
	switch {
	case err == nil:
		return nil
	case old != nil && mustStay(err):
		return w.overwrite(ctx, old, data)
	case old == nil:
		return ofFolder(err)
	}
	return err
}

// Reasons why a file may not be written.
var (
	errReadOnly = fmt.Errorf("%w: the file is read-only", fs.ErrPermission)
	errForeign  = errors.New("this user may not write the file")
	errFolder   = errors.New("this user may not add, rename or remove files in its folder")
)

// writable returns an error if the file is not writable. A rename checks the
// permissions of the folder only.
func writable(dir folder, name string, old fs.FileInfo) error {
	if old == nil {
		return nil
	}
	if err := regular(old); err != nil {
		return err
	}
	if old.Mode().Perm()&0o222 == 0 { // as root, opening it would work
		return errReadOnly
	}
	f, err := dir.OpenFile(name, os.O_WRONLY|nonBlocking, 0)
	if errors.Is(err, fs.ErrPermission) {
		if is := ownerOf(old); is.known {
			return fmt.Errorf("%w: its owner is the user %d and its mode %v (%w)", errForeign, is.uid, old.Mode(), reason(err))
		}
		return fmt.Errorf("%w: %w", errForeign, reason(err))
	}
	if err != nil {
		return err
	}
	return f.Close()
}

func unchanged(ctx context.Context, dir folder, name string, expect *Hash) error {
	if expect == nil {
		return context.Cause(ctx)
	}
	now, err := hashOf(ctx, dir, name)
	switch {
	case err != nil:
		return err
	case now == *expect:
		return nil
	case *expect == Hash{}:
		return fmt.Errorf("%w: it exists now", ErrChanged)
	case now == Hash{}:
		return fmt.Errorf("%w: it is gone", ErrChanged)
	}
	return ErrChanged
}

// still checks right before the rename that the entry is the one that was compared.
func still(dir folder, name string, old fs.FileInfo, expect *Hash) error {
	now, err := dir.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		now, err = nil, nil
	}
	switch {
	case err != nil:
		return err
	case now != nil && regular(now) != nil:
		return regular(now)
	case expect == nil:
		return nil
	case old == nil && now == nil:
		return nil
	case old == nil || now == nil, !os.SameFile(old, now), old.Size() != now.Size(), !old.ModTime().Equal(now.ModTime()):
		return ErrChanged
	}
	return nil
}

// writeTemp writes data to a new file beside the old one, synced, with its mode,
// owner and attributes. It returns the name as soon as there may be something to
// remove.
func (w writing) writeTemp(data []byte, old fs.FileInfo, mode fs.FileMode) (name string, err error) {
	at := fs.FileMode(0o666)
	if mode != 0 || old != nil {
		at = 0o600 // until it has its owner
	}
	name = ".emendo-" + rand.Text() + ".tmp"
	f, err := w.dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, at)
	if err != nil {
		return "", err
	}
	_, err = f.Write(data)
	switch {
	case err != nil:
	case old != nil:
		err = w.dress(f, old)
	case mode != 0:
		err = f.Chmod(mode)
	}
	if err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	return name, err
}

// dress sets the owner, the attributes and the mode of the old file on f. The error
// wraps errKeep if that is not possible.
func (w writing) dress(f file, old fs.FileInfo) error {
	fi, err := f.Stat()
	if err != nil {
		return err
	}
	is, was := ownerOf(fi), ownerOf(old)
	if was.known && (is.uid != was.uid || is.gid != was.gid) {
		if err := f.Chown(was.uid, was.gid); err != nil {
			return fmt.Errorf("%w: the owner %d:%d: %w", errKeep, was.uid, was.gid, reason(err))
		}
	}
	from, err := w.dir.OpenFile(w.name, os.O_RDONLY|nonBlocking, 0)
	if err != nil {
		return err
	}
	err = copyAttributes(from, f)
	if err := errors.Join(err, from.Close()); err != nil {
		return err
	}
	if err := f.Chmod(old.Mode()); err != nil {
		return err
	}
	if fi, err = f.Stat(); err == nil && fi.Mode() != old.Mode() {
		err = fmt.Errorf("%w: the mode %v", errKeep, old.Mode())
	}
	return err
}

// advice returns what to do about an error, as the end of a sentence.
func advice(err error) string {
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return "; free some disk space and try again"
	case errors.Is(err, syscall.EROFS):
		return "; mount the file system read-write or work on a copy"
	case errors.Is(err, errReadOnly):
		return "; chmod u+w it first if the task needs that"
	case errors.Is(err, syscall.EBUSY):
		return "; it is mounted by itself, as in a container, and stays where it is"
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return "; close some files and try again"
	case errors.Is(err, ErrChanged), errors.Is(err, ErrMoved):
		return "; read it again and start from its current content"
	}
	return ""
}
