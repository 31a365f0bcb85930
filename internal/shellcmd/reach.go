package shellcmd

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/emendo-dev/emendo/internal/secret"
)

// A reach says what the name of a file leads to.
type reach int

const (
	inside  reach = iota
	private       // inside, and it holds secrets, or its name is that of those that do
	outside       // outside the workspace, or where cannot be told
)

func (r reach) String() string {
	switch r {
	case inside:
		return "inside the workspace"
	case private:
		return "which may hold secrets"
	case outside:
		return "which may be outside the workspace"
	}
	panic("shellcmd: unknown reach")
}

// reach says what a name leads to from each of the folders; the worst of it
// counts. Links are followed as they are now: this only helps to decide when to
// ask, and what the command then reaches is for the sandbox to bound.
func (a *analyzer) reach(name string, in folders) reach {
	switch {
	case name == "" || name == "-" || name == "/dev/null":
		return inside
	case secret.Named(name):
		return private
	case filepath.IsAbs(name):
		return a.leads("/", name)
	case len(in) == 0:
		return outside
	}
	worst := inside
	for _, dir := range in {
		worst = max(worst, a.leads(dir, name))
	}
	return worst
}

func (a *analyzer) leads(dir, name string) reach {
	path := follow(dir, name)
	for _, root := range a.roots {
		if path == root || strings.HasPrefix(path, strings.TrimSuffix(root, "/")+"/") {
			if secret.Named(path[len(root):]) || holdsSecret(path) {
				return private
			}
			return inside
		}
	}
	return outside
}

// maxSniffed is how much of a file is looked through for a secret, in bytes: a
// key has a file of its own, or is in one that people write.
const maxSniffed = 256 << 10

// holdsSecret reports whether a file holds a private key or, as git's settings
// can, credentials.
func holdsSecret(path string) bool {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() { // what the command could not read either is no secret
		return false
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	text, _ := io.ReadAll(io.LimitReader(f, maxSniffed)) // what was read counts
	return secret.Held(path, text)
}

// follow is where a name leads from a folder, links followed. What does not
// exist is taken as it is written.
func follow(dir, name string) string {
	path := dir
	for rest := name; rest != ""; {
		var element string
		element, rest, _ = strings.Cut(rest, "/")
		switch element {
		case "", ".":
			continue
		case "..":
			path = filepath.Dir(path)
			continue
		}
		path = filepath.Join(path, element)
		if info, err := os.Lstat(path); err == nil && info.Mode()&os.ModeSymlink != 0 {
			if to, err := filepath.EvalSymlinks(path); err == nil {
				path = to
			} else {
				return "" // to nowhere, or in a circle
			}
		}
	}
	return path
}

// namesIn are the names of what is in a folder, and whether there are more than
// are looked at. There are none in what is no folder.
func namesIn(dir string) (names []string, more bool) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, false
	}
	defer f.Close()
	names, _ = f.Readdirnames(maxMatched + 1) // what cannot be read, the command cannot either
	return names, len(names) > maxMatched
}
