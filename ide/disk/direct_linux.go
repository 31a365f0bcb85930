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
// needs several for every element of the name. That matters to searches of large
// trees. It is stricter than os.Root: it follows no symbolic link at all.
type direct struct {
	top  *os.File
	conn syscall.RawConn
}

// newDirect opens the folder. It returns nil on failure, which only makes access
// slower.
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

// open opens rel for reading. After [errors.ErrUnsupported] the caller opens it
// element by element.
func (d *direct) open(rel string, flag int) (*os.File, error) {
	fd, err := d.descriptor(rel, flag)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), filepath.Join(d.top.Name(), rel)), nil
}

// descriptor opens rel and returns the bare descriptor.
func (d *direct) descriptor(rel string, flag int) (int, error) {
	if d == nil {
		return -1, errors.ErrUnsupported
	}
	how := unix.OpenHow{
		Flags:   uint64(flag | unix.O_RDONLY | unix.O_CLOEXEC), //nolint:gosec // flags are small
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS,
	}
	fd, err := -1, error(nil)
	if closed := d.conn.Control(func(top uintptr) {
		for range tries {
			fd, err = unix.Openat2(int(top), rel, &how)
			if err != unix.EINTR && err != unix.EAGAIN { // EAGAIN: something on the path was renamed
				break
			}
		}
	}); closed != nil {
		return -1, closed
	}
	switch err {
	case nil:
		return fd, nil
	case unix.ELOOP:
		return -1, ErrMoved
	case unix.ENOTDIR:
		return -1, ErrNotDir
	case unix.ENXIO: // a socket, or a missing device
		return -1, ErrNotFile
	case unix.EXDEV:
		return -1, ErrOutside
	case unix.ENOSYS, unix.EPERM, unix.EINVAL: // an old kernel, or emendo runs in a sandbox
		return -1, fmt.Errorf("%w: %w", errors.ErrUnsupported, err)
	}
	return -1, err
}

// read reads rel into buf, which grows as needed, with three system calls where an
// [os.File] takes seven. For a file that exceeds limit or is not regular it returns
// [errors.ErrUnsupported], and the slow way reports the error.
func (d *direct) read(rel string, limit int64, buf []byte) ([]byte, error) {
	fd, err := d.descriptor(rel, nonBlocking)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd) //nolint:errcheck // it was only read from
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return nil, err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG || st.Size > min(limit, chunk) || st.Size == 0 {
		return nil, errors.ErrUnsupported
	}
	if int64(cap(buf)) < st.Size {
		buf = make([]byte, st.Size, 2*st.Size)
	}
	buf = buf[:st.Size]
	for n := 0; n < len(buf); {
		more, err := unix.Read(fd, buf[n:])
		switch {
		case err == unix.EINTR:
		case err != nil:
			return nil, err
		case more == 0: // it was truncated
			return buf[:n], nil
		}
		n += max(more, 0)
	}
	return buf, nil
}
