package paths

import (
	"errors"
	"io"
	"os"
	"syscall"
)

// ErrNotRegular reports that something is a folder, a pipe, a socket or a device.
var ErrNotRegular = errors.New("it is not a regular file")

// OpenRegular opens a regular file, or a link to one, for reading. It does not wait for
// the other end of a pipe that is in its place; the error is then [ErrNotRegular].
func OpenRegular(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &os.PathError{Op: "open", Path: path, Err: ErrNotRegular}
	}
	if err != nil {
		_ = f.Close() // nothing was read
		return nil, err
	}
	return f, nil
}

// ReadRegular returns the beginning of a file that [OpenRegular] opens, at most so many
// bytes.
func ReadRegular(path string, most int64) ([]byte, error) {
	f, err := OpenRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, most))
}
