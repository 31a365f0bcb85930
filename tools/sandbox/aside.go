package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
)

// A Moved is what a command made and may not make, and where it is now.
type Moved struct{ From, To string }

// Aside moves away what was made, since the profile was made, under a name that
// is protected: git, an editor or a shell would have gone by it. It is called
// when the command has ended.
func (p *Profile) Aside() ([]Moved, error) {
	if p.sweep == nil {
		return nil, nil
	}
	now := p.sweep.look(p.roots)
	var moved []Moved
	for _, path := range append(now.protected, now.links...) {
		if slices.Contains(p.known, path) || underAny(path, p.allowed) {
			continue
		}
		to, err := moveAside(path)
		if err != nil {
			return moved, fmt.Errorf("%s was made by the command, is protected, and could not be moved away: %w", path, err)
		}
		moved = append(moved, Moved{path, to})
	}
	return moved, nil
}

// moveAside gives what is at a path another name, which is not protected.
func moveAside(path string) (string, error) {
	dir, err := os.OpenRoot(filepath.Dir(path)) // a folder that has become a link meanwhile leads nowhere
	if err != nil {
		return "", err
	}
	defer dir.Close()
	name := filepath.Base(path)
	for n := 1; ; n++ {
		to := "made-by-a-command-" + strconv.Itoa(n) + "-" + trimDots(name) + ".aside"
		if _, err := dir.Lstat(to); err == nil {
			continue
		}
		if err := dir.Rename(name, to); err != nil {
			return "", err
		}
		return filepath.Join(filepath.Dir(path), to), nil
	}
}

// trimDots is a name without the dots that it begins with.
func trimDots(name string) string {
	for len(name) > 1 && name[0] == '.' {
		name = name[1:]
	}
	return name
}
