package disk

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"
)

// A folder is what this package needs of an [os.Root]; tests make one that
// fails at a chosen step. Names are single elements.
type folder interface {
	OpenFolder(name string) (folder, error)
	OpenFile(name string, flag int, perm fs.FileMode) (file, error)
	Lstat(name string) (fs.FileInfo, error)
	Mkdir(name string, perm fs.FileMode) error
	Rename(name string, to folder, as string) error
	Remove(name string) error
	Sync() error // names that were made, moved or removed are on the disk
	Close() error
}

// A file is what this package needs of an [os.File].
type file interface {
	io.ReadWriteCloser
	ReadDir(n int) ([]fs.DirEntry, error)
	Stat() (fs.FileInfo, error)
	Chmod(fs.FileMode) error
	Chown(uid, gid int) error
	Sync() error
}

// rootFolder is the folder that the system has.
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
		return nil // a file system that keeps no such promise
	}
	return err
}

// reach opens the folder that holds p, and gives p's name in it. A resolved
// path has no links, so one that is met now was put there since, and is not
// followed. With makeDirs, missing folders are made.
func (t *Tree) reach(p Path, makeDirs bool) (dir folder, name string, err error) {
	root, err := t.root(p)
	if err != nil {
		return nil, "", err
	}
	if dir, err = root.dir.OpenFolder("."); err != nil {
		return nil, "", err
	}
	elements := strings.Split(p.Rel, "/")
	last := len(elements) - 1
	for _, element := range elements[:last] {
		next, err := enter(dir, element, makeDirs)
		dir.Close()
		if err != nil {
			return nil, "", err
		}
		dir = next
	}
	return dir, elements[last], nil
}

// enter opens a folder in dir that is no link.
func enter(dir folder, name string, makeDirs bool) (folder, error) {
	before, err := dir.Lstat(name)
	if makeDirs && errors.Is(err, fs.ErrNotExist) {
		if err := dir.Mkdir(name, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		before, err = dir.Lstat(name)
	}
	if err == nil {
		err = listable(before)
	}
	if err != nil {
		return nil, err
	}
	next, err := dir.OpenFolder(name)
	if err != nil {
		return nil, err
	}
	after, err := next.Lstat(".")
	if err == nil && !os.SameFile(before, after) {
		err = ErrMoved
	}
	if err != nil {
		next.Close()
		return nil, err
	}
	return next, nil
}

// listable is an error unless the entry is a folder.
func listable(fi fs.FileInfo) error {
	switch mode := fi.Mode(); {
	case mode.IsDir():
		return nil
	case mode&fs.ModeSymlink != 0:
		return ErrMoved
	}
	return ErrNotDir
}

// regular is an error unless the entry is a regular file.
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

// reason is err without the path that the os package puts before it: ours
// names the whole of it.
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
