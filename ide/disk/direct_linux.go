package disk

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// direct opens files below a folder with one system call each, where [os.Root]
// needs several for every element of the name: a search of a large tree opens
// each of its files. Its rules are the stricter: no link at all is followed.
type direct struct {
	top  *os.File
	conn syscall.RawConn
}

// newDirect keeps the folder open for it. What goes wrong here only makes
// everything slower.
func newDirect(root *os.Root) *direct {
	top, err := root.Open(".")
	if err != nil {
		return nil
	}
	conn, err := top.SyscallConn()
	if err != nil {
		top.Close()
		return nil
	}
	return &direct{top, conn}
}

func (d *direct) Close() error {
	if d == nil {
		return nil
	}
	return d.top.Close()
}

// open opens rel for reading; [errors.ErrUnsupported] asks for the long way.
func (d *direct) open(rel string, flag int) (*os.File, error) {
	if d == nil {
		return nil, errors.ErrUnsupported
	}
	how := unix.OpenHow{
		Flags:   uint64(flag | unix.O_RDONLY | unix.O_CLOEXEC), //nolint:gosec // flags are small
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS,
	}
	fd, err := -1, error(nil)
	if closed := d.conn.Control(func(top uintptr) {
		for range tries {
			fd, err = unix.Openat2(int(top), rel, &how)
			if err != unix.EINTR && err != unix.EAGAIN { // something was renamed on the way
				break
			}
		}
	}); closed != nil {
		return nil, closed
	}
	switch err {
	case nil:
		return os.NewFile(uintptr(fd), filepath.Join(d.top.Name(), rel)), nil
	case unix.ELOOP:
		return nil, ErrMoved
	case unix.ENOTDIR:
		return nil, ErrNotDir
	case unix.ENXIO: // a socket, or a device that is not there
		return nil, ErrNotFile
	case unix.EXDEV:
		return nil, ErrOutside
	case unix.ENOSYS, unix.EPERM, unix.EINVAL: // an old kernel, or a sandbox around us
		return nil, fmt.Errorf("%w: %w", errors.ErrUnsupported, err)
	}
	return nil, err
}
