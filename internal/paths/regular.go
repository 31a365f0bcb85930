package paths

import (
	"bytes"
	"errors"
	"fmt"
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

// ReadIn returns a regular file of at most so many bytes that is in a folder, links out of
// it not followed, without a byte order mark. It looks before it opens: opening a device may
// have effects.
func ReadIn(root *os.Root, name string, most int) ([]byte, error) {
	info, err := root.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, ErrNotRegular
	}
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, int64(most)+1))
	if err == nil && len(text) > most {
		err = fmt.Errorf("it is larger than %d bytes", most)
	}
	return bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")), err
}

// Same reports whether two paths lead to one file or folder, which exists.
func Same(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
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
