//go:build unix

package buffers

import (
	"errors"
	"io/fs"
	"syscall"
)

// isGone reports whether an error of connecting means that the server has ended.
func isGone(err error) bool {
	return errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, fs.ErrNotExist)
}
