package secret

import (
	"io"
	"os"
	"syscall"
)

// maxSniffed limits how much of a file is searched for a secret, in bytes: a key is in a
// file of its own, or in one that people write.
const maxSniffed = 256 << 10

// InFile reports whether the file at path, absolute, contains a private key or, if it holds
// git's settings, credentials. It follows no link, and what cannot be read contains none.
func InFile(path string) bool {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	text, _ := io.ReadAll(io.LimitReader(f, maxSniffed)) // whatever was read counts
	return Held(path, text)
}
