//go:build linux || darwin

package disk

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// inherited lists the extended attributes that the system sets on every new file
// by itself.
var inherited = []string{"security.selinux", "security.SMACK64", "security.ima", "security.evm", "com.apple.provenance"}

// copyAttributes copies the extended attributes of one file to another, among them
// the access list on Linux. The error wraps errKeep if it cannot.
func copyAttributes(from, to file) error {
	a, ok := from.(*os.File)
	b, ok2 := to.(*os.File)
	if !ok || !ok2 {
		return nil
	}
	list, err := attribute(func(to []byte) (int, error) { return unix.Flistxattr(int(a.Fd()), to) }) //nolint:gosec // descriptors are small
	if err != nil {
		return nil // the file system has none
	}
	for name := range strings.SplitSeq(string(list), "\x00") {
		if name == "" || slices.Contains(inherited, name) {
			continue
		}
		value, err := attribute(func(to []byte) (int, error) { return unix.Fgetxattr(int(a.Fd()), name, to) }) //nolint:gosec // descriptors are small
		if errors.Is(err, unix.ENODATA) {
			continue
		}
		if err == nil {
			err = unix.Fsetxattr(int(b.Fd()), name, value, 0) //nolint:gosec // descriptors are small
		}
		if err != nil {
			return fmt.Errorf("%w: the attribute %s: %w", errKeep, name, err)
		}
	}
	return nil
}

// attribute calls get with enough room.
func attribute(get func([]byte) (int, error)) ([]byte, error) {
	for {
		n, err := get(nil)
		if err != nil || n == 0 {
			return nil, err
		}
		value := make([]byte, n)
		if n, err = get(value); err == nil {
			return value[:n], nil
		} else if !errors.Is(err, unix.ERANGE) {
			return nil, err
		}
	}
}
