package secret

import (
	"os"

	"github.com/emendo-dev/emendo/internal/paths"
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
	text, _ := paths.ReadRegular(path, maxSniffed) // whatever was read counts
	return Held(path, text)
}
