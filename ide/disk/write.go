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
	Mode   fs.FileMode // of a new file, before the umask; zero is 0666
}

// Write replaces a file atomically, or creates it and its folders. At any moment,
// and after any failure, the path has all of the old bytes or all of the new ones.
// Mode and owner are preserved; if they cannot be, or if the file is read-only,
// nothing is written. Other hard links keep the old bytes.
func (t *Tree) Write(ctx context.Context, p Path, data []byte, o WriteOptions) error {
	dir, name, err := t.reach(p, true)
	if err == nil {
		defer dir.Close()
		err = replace(ctx, dir, name, data, o)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w%s", p.Abs, reason(err), advice(err))
	}
	if err := dir.Sync(); err != nil {
		return fmt.Errorf("write %s: the file was replaced, but syncing its folder failed: %w%s", p.Abs, reason(err), advice(err))
	}
	return nil
}

// Remove deletes a regular file. With expect it does so only if the file has that
// hash.
func (t *Tree) Remove(ctx context.Context, p Path, expect *Hash) error {
	if err := t.remove(ctx, p, expect); err != nil {
		return fmt.Errorf("remove %s: %w%s", p.Abs, reason(err), advice(err))
	}
	return nil
}

func (t *Tree) remove(ctx context.Context, p Path, expect *Hash) error {
	dir, name, err := t.reach(p, false)
	if err != nil {
		return err
	}
	defer dir.Close()
	fi, err := dir.Lstat(name)
	if err != nil {
		return err
	}
	if err := regular(fi); err != nil {
		return err
	}
	if err := unchanged(ctx, dir, name, expect); err != nil {
		return err
	}
	if err := dir.Remove(name); err != nil {
		return err
	}
	return dir.Sync()
}

// Chmod changes the permissions of a regular file.
func (t *Tree) Chmod(p Path, mode fs.FileMode) error {
	if err := t.chmod(p, mode.Perm()); err != nil {
		return fmt.Errorf("change the permissions of %s: %w%s", p.Abs, reason(err), advice(err))
	}
	return nil
}

func (t *Tree) chmod(p Path, mode fs.FileMode) error {
	dir, name, err := t.reach(p, false)
	if err != nil {
		return err
	}
	defer dir.Close()
	named, err := dir.Lstat(name)
	if err != nil {
		return err
	}
	if err := regular(named); err != nil {
		return err
	}
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
	if err := t.rename(ctx, from, to); err != nil {
		return fmt.Errorf("rename %s to %s: %w%s", from.Abs, to.Abs, reason(err), advice(err))
	}
	return nil
}

func (t *Tree) rename(ctx context.Context, from, to Path) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if from.Root != to.Root {
		return fmt.Errorf("%w: a file cannot move to another workspace folder; write a new one and remove the old", errors.ErrUnsupported)
	}
	old, oldName, err := t.reach(from, false)
	if err != nil {
		return err
	}
	defer old.Close()
	fi, err := old.Lstat(oldName)
	if err != nil {
		return err
	}
	if err := regular(fi); err != nil {
		return err
	}
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
		return err
	}
	return dir.Sync()
}

// replace replaces an entry of dir by data, or leaves everything as it was.
func replace(ctx context.Context, dir folder, name string, data []byte, o WriteOptions) error {
	old, err := dir.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		old, err = nil, nil
	}
	if err != nil {
		return err
	}
	if err := writable(dir, name, old); err != nil {
		return err
	}
	if err := unchanged(ctx, dir, name, o.Expect); err != nil {
		return err
	}
	temp, err := writeTemp(dir, data, old, o.Mode)
	if err == nil {
		if err = context.Cause(ctx); err == nil {
			err = still(dir, name, old, o.Expect)
		}
		if err == nil {
			err = dir.Rename(temp, dir, name)
		}
	}
	if err != nil && temp != "" {
		err = errors.Join(err, dir.Remove(temp))
	}
	return err
}

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
		return fmt.Errorf("%w: the file is read-only", fs.ErrPermission)
	}
	f, err := dir.OpenFile(name, os.O_WRONLY|nonBlocking, 0)
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

// writeTemp writes data to a new file in dir, synced, with the mode and owner of
// old. It returns the name as soon as there may be something to remove.
func writeTemp(dir folder, data []byte, old fs.FileInfo, mode fs.FileMode) (name string, err error) {
	if mode == 0 {
		mode = 0o666
	}
	if old != nil {
		mode = 0o600 // until it has its owner
	}
	name = ".emendo-" + rand.Text() + ".tmp"
	f, err := dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return "", err
	}
	_, err = f.Write(data)
	if err == nil && old != nil {
		err = dress(f, old)
	}
	if err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	return name, err
}

// dress gives f the owner and the mode of old.
func dress(f file, old fs.FileInfo) error {
	fi, err := f.Stat()
	if err != nil {
		return err
	}
	is, was := ownerOf(fi), ownerOf(old)
	if was.known && (is.uid != was.uid || is.gid != was.gid) {
		if err := f.Chown(was.uid, was.gid); err != nil {
			return fmt.Errorf("keep owner %d:%d: %w", was.uid, was.gid, reason(err))
		}
	}
	return f.Chmod(old.Mode())
}

// advice returns what to do about an error, as the end of a sentence.
func advice(err error) string {
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return "; free some disk space and try again"
	case errors.Is(err, syscall.EROFS):
		return "; mount the file system read-write or work on a copy"
	case errors.Is(err, fs.ErrPermission):
		return "; chmod u+w it and its folder first if the task needs that"
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return "; close some files and try again"
	case errors.Is(err, ErrChanged), errors.Is(err, ErrMoved):
		return "; read it again and start from its current content"
	}
	return ""
}
