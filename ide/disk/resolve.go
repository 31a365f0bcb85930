package disk

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// Longer names are refused before the system is asked: PATH_MAX and NAME_MAX
// of Linux, which are the widest of the systems emendo runs on.
const (
	maxPath = 4096 // bytes
	maxName = 255  // bytes of one element
)

// maxLinks is how many links one path may lead through, as on Linux.
const maxLinks = 40

// Resolve finds where name leads: absolute, or relative to the first folder.
// ".." and links are followed as the system follows them. The file need not
// exist; what does not is taken as written.
func (t *Tree) Resolve(name string) (Path, error) {
	if err := checkName(name); err != nil {
		return Path{}, err
	}
	full := name
	if !filepath.IsAbs(full) {
		folders := t.Folders()
		if len(folders) == 0 {
			return Path{}, fmt.Errorf("%q: %w: it has no folders", name, ErrOutside)
		}
		// Not Join, which takes "link/.." away unseen.
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
		return fmt.Errorf("%w: it is empty", ErrName)
	case strings.IndexByte(name, 0) >= 0:
		return fmt.Errorf("%q: %w: it holds a NUL byte", name, ErrName)
	case len(name) > maxPath:
		return fmt.Errorf("%.40q...: %w: it is longer than %d bytes", name, ErrName, maxPath)
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

// follow gives the absolute path without links that path leads to. It only
// names a place: whether that is inside, and what is there, is found out with
// the handles of the tree.
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
		if err != nil { // no link, or nothing at all
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

// RealPath gives the absolute path without links that an absolute path leads
// to, inside the workspace or not, in the spelling of [Path].Abs. Where links
// lead in a circle it is the path as it was.
func RealPath(path string) string {
	real, err := follow(path)
	if err != nil {
		return filepath.Clean(path)
	}
	return real
}
