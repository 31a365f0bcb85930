package disk

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// The longest names: PATH_MAX and NAME_MAX of Linux, which are the largest of the
// systems that emendo runs on.
const (
	maxPath = 4096 // bytes
	maxName = 255  // bytes of one element
)

// maxLinks is how many links a path may lead through, as on Linux.
const maxLinks = 40

// Resolve resolves a name that is absolute, or relative to the first folder. It
// follows ".." and links as the system does. The file need not exist; missing
// elements are kept as they are.
func (t *Tree) Resolve(name string) (Path, error) {
	if err := checkName(name); err != nil {
		return Path{}, err
	}
	full := name
	if !filepath.IsAbs(full) {
		folders := t.Folders()
		if len(folders) == 0 {
			return Path{}, fmt.Errorf("%q: %w, which has no folders", name, ErrOutside)
		}
		// Join would remove "link/.." without following the link.
		full = folders[0] + string(filepath.Separator) + full
	}
	real, err := follow(full)
	if err != nil {
		return Path{}, fmt.Errorf("resolve %q: %w", name, err)
	}
	p, ok := t.place(real)
	if !ok {
		return Path{}, t.outside(name)
	}
	return p, nil
}

func checkName(name string) error {
	switch {
	case name == "":
		return fmt.Errorf("%w: empty", ErrName)
	case strings.IndexByte(name, 0) >= 0:
		return fmt.Errorf("%q: %w: contains a NUL byte", name, ErrName)
	case len(name) > maxPath:
		return fmt.Errorf("%.40q...: %w: longer than %d bytes", name, ErrName, maxPath)
	}
	for _, element := range split(name) {
		if len(element) > maxName {
			return fmt.Errorf("%.40q...: %w: an element is longer than %d bytes", element, ErrName, maxName)
		}
	}
	return nil
}

func split(path string) []string {
	return strings.FieldsFunc(path, func(r rune) bool { return r < 0x80 && os.IsPathSeparator(uint8(r)) })
}

// follow returns path with its links resolved. It only computes a name: whether
// that is inside of the tree, and what is there, is checked with the tree's
// handles.
func follow(path string) (string, error) {
	top := filepath.VolumeName(path) + string(filepath.Separator)
	at, todo := top, split(path[len(top)-1:])
	for links := 0; len(todo) > 0; {
		name := todo[0]
		todo = todo[1:]
		if name == "." {
			continue
		}
		if name == ".." {
			at = filepath.Dir(at)
			continue
		}
		next := filepath.Join(at, name)
		target, err := os.Readlink(next)
		if err != nil { // not a link, or missing
			at = next
			continue
		}
		if links++; links > maxLinks {
			return "", syscall.ELOOP
		}
		if filepath.IsAbs(target) {
			at = filepath.VolumeName(target) + string(filepath.Separator)
			target = target[len(at)-1:]
		}
		todo = append(split(target), todo...)
	}
	return at, nil
}

// RealPath returns an absolute path with its links resolved, inside of the
// workspace or not, spelled as [Path].Abs. If links form a cycle it returns the
// path itself.
func RealPath(path string) string {
	real, err := follow(path)
	if err != nil {
		return filepath.Clean(path)
	}
	return real
}
