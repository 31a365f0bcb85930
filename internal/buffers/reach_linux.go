package buffers

import (
	"fmt"
	"os"
	"path/filepath"
)

// reach calls f with a path of a socket that is short enough for the system: by a
// descriptor of its folder where its own is not.
func reach(path string, f func(path string) error) error {
	if len(path) <= maxSocketPath {
		return f(path)
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer dir.Close()
	return f(fmt.Sprintf("/proc/self/fd/%d/%s", dir.Fd(), filepath.Base(path)))
}
