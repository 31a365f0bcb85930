package buffers

import (
	"errors"
	"io/fs"

	"golang.org/x/sys/windows"
)

// isGone reports whether an error of connecting means that the server has ended.
func isGone(err error) bool {
	return errors.Is(err, windows.WSAECONNREFUSED) || errors.Is(err, fs.ErrNotExist)
}
