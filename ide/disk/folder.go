package disk

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// A folder has the methods of [os.Root] that this package needs. Tests implement
// one that fails at a chosen step. Names are single elements.
type folder interface {
	OpenFolder(name string) (folder, error)
	OpenFile(name string, flag int, perm fs.FileMode) (file, error)
	Lstat(name string) (fs.FileInfo, error)
	Mkdir(name string, perm fs.FileMode) error
	Rename(name string, to folder, as string) error
	Remove(name string) error
	Sync() error // writes created, moved and removed names to the disk
	Close() error
}

// A file has the methods of [os.File] that this package needs.
type file interface {
	io.ReadWriteCloser
	io.WriterAt
	Truncate(size int64) error
	ReadDir(n int) ([]fs.DirEntry, error)
	Stat() (fs.FileInfo, error)
	Chmod(fs.FileMode) error
	Chown(uid, gid int) error
	Sync() error
}

// rootFolder implements folder.
type rootFolder struct{ *os.Root }

func (r rootFolder) OpenFolder(name string) (folder, error) {
	sub, err := r.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	return rootFolder{sub}, nil
}

func (r rootFolder) OpenFile(name string, flag int, perm fs.FileMode) (file, error) {
	f, err := r.Root.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err
	}
	return f, nil
}

func (r rootFolder) Rename(name string, to folder, as string) error {
	if to == folder(r) {
		return r.Root.Rename(name, as)
	}
	return renameInto(r.Root, name, to.(rootFolder).Root, as)
}

func (r rootFolder) Sync() error {
	if !canSyncFolders {
		return nil
	}
	f, err := r.Open(".")
	if err != nil {
		return err
	}
	defer f.Close()
	err = f.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		return nil // the file system does not support it
	}
	return err
}

// reach opens the folder that contains p, and returns p's name in it. With
// makeDirs it creates missing folders.
func (t *Tree) reach(p Path, makeDirs bool) (dir folder, name string, err error) {
	r, err := t.root(p)
	if err != nil {
		return nil, "", err
	}
	return r.reach(p.Rel, makeDirs)
}

// reach opens the folder that contains rel. A resolved path has no links, so a
// link on the way is new and is not followed.
func (r *root) reach(rel string, makeDirs bool) (dir folder, name string, err error) {
	if dir, err = r.dir.OpenFolder("."); err != nil {
		return nil, "", err
	}
	elements := strings.Split(rel, "/")
	last := len(elements) - 1
	for i, element := range elements[:last] {
		next, isNew, err := enter(dir, element, makeDirs)
		dir.Close()
		if err != nil {
			return nil, "", err
		}
		if isNew {
			noteMade(filepath.Join(r.path, filepath.Join(elements[:i+1]...)))
		}
		dir = next
	}
	return dir, elements[last], nil
}

// enter opens a folder in dir, but not through a link. It reports whether it made it.
func enter(dir folder, name string, makeDirs bool) (next folder, isNew bool, err error) {
	before, err := dir.Lstat(name)
	if makeDirs && errors.Is(err, fs.ErrNotExist) {
		if err := dir.Mkdir(name, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, false, ofFolder(err)
		} else if err == nil {
			isNew = true
		}
		before, err = dir.Lstat(name)
	}
	if err == nil {
		err = listable(before)
	}
	if err != nil {
		return nil, false, err
	}
	if next, err = dir.OpenFolder(name); err != nil {
		return nil, false, err
	}
	after, err := next.Lstat(".")
	if err == nil && !os.SameFile(before, after) {
		err = ErrMoved
	}
	if err != nil {
		next.Close()
		return nil, false, err
	}
	return next, isNew, nil
}

// listable returns an error unless the entry is a folder.
func listable(fi fs.FileInfo) error {
	switch mode := fi.Mode(); {
	case mode.IsDir():
		return nil
	case mode&fs.ModeSymlink != 0:
		return ErrMoved
	}
	return ErrNotDir
}

// regular returns an error unless the entry is a regular file.
func regular(fi fs.FileInfo) error {
	switch mode := fi.Mode(); {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		return ErrIsDir
	case mode&fs.ModeSymlink != 0:
		return ErrMoved
	}
	return ErrNotFile
}

// reason returns err without the path that package os adds. Our errors name the
// whole path.
func reason(err error) error {
	var p *fs.PathError
	var l *os.LinkError
	switch {
	case errors.As(err, &p):
		return p.Err
	case errors.As(err, &l):
		return l.Err
	}
	return err
}
