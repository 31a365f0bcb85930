//go:build !linux

package buffers

import "fmt"

// reach calls f with the path of a socket.
func reach(path string, f func(path string) error) error {
	if len(path) > maxSocketPath {
		return fmt.Errorf("the path of a socket is too long, %d bytes where %d are possible: %s; choose another folder with EMENDO_HOME", len(path), maxSocketPath, path)
	}
	return f(path)
}
